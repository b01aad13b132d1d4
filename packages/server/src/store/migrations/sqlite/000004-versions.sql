-- One small row for each save of a graph: what it changed, the other way round. A version is read by undoing, from the
-- graph as it is now, whatever was saved since.
-- The rows of a workflow form a list, each naming the one before it, and the workflow names the newest. They need no
-- index by workflow then, so a save writes to the table's end only, which all saves of a commit share.
CREATE TABLE graph_versions (
  id INTEGER PRIMARY KEY,
  workflow_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  -- The row of the version before this one; dangling where that one was pruned.
  previous_id INTEGER,
  created_at TEXT NOT NULL,
  author_id INTEGER,
  restored_from INTEGER,
  -- JSON: nodes created, updated, deleted, then edges.
  counts TEXT NOT NULL,
  -- JSON: what to do, in this order, to have the version before.
  undo TEXT NOT NULL
) STRICT;

ALTER TABLE workflows ADD COLUMN newest_version_id INTEGER;
-- The oldest version that can be read: at first the one that the workflow began with.
ALTER TABLE workflows ADD COLUMN oldest_version INTEGER NOT NULL DEFAULT 1;

-- What was saved before versions were kept is lost: each workflow begins with its present graph.
INSERT INTO graph_versions (id, workflow_id, version, created_at, counts, undo)
  SELECT id, id, version, updated_at, '[0,0,0,0,0,0]', '[]' FROM workflows;
UPDATE workflows SET oldest_version = version, newest_version_id = id;

-- What an owner has deleted, newest first.
CREATE INDEX workflows_in_trash ON workflows (owner_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
