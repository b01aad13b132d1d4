-- Edges come one at a time to many workflows: in an index by workflow each would rewrite a page of its own. So a new edge
-- stands in a short list first, at whose end all edges of a commit share a page, and enters the index with many others.
-- Without a reference to workflows: the deletion of one would look through all edges, as no index has all of them.
CREATE TABLE new_edges (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workflow_id INTEGER NOT NULL,
  source_node_id TEXT NOT NULL,
  target_node_id TEXT NOT NULL,
  edge_type TEXT NOT NULL,
  edge_label TEXT NOT NULL,
  condition_mapping TEXT,
  condition_value TEXT NOT NULL,
  priority INTEGER NOT NULL,
  is_indexed INTEGER NOT NULL
) STRICT;

INSERT INTO new_edges
  SELECT id, workflow_id, source_node_id, target_node_id, edge_type, edge_label, condition_mapping, condition_value,
    priority, 1
  FROM edges;

-- Ids go on where they were, also past edges that have been deleted.
DELETE FROM sqlite_sequence WHERE name = 'new_edges';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_edges', seq FROM sqlite_sequence WHERE name = 'edges';

DROP TABLE edges;
ALTER TABLE new_edges RENAME TO edges;

CREATE INDEX edges_of_workflow ON edges (workflow_id, id) WHERE is_indexed = 1;
CREATE INDEX edges_not_indexed ON edges (id) WHERE is_indexed = 0;
