-- The version that triggers run, and its row in graph_versions; NULL while the workflow is live.
ALTER TABLE workflows ADD COLUMN published_version INTEGER;
ALTER TABLE workflows ADD COLUMN published_version_id INTEGER;

-- The last publication of each version that was ever published.
CREATE TABLE publications (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  version INTEGER NOT NULL,
  published_at TEXT NOT NULL,
  author_id INTEGER,
  note TEXT,
  PRIMARY KEY (workflow_id, version)
) STRICT, WITHOUT ROWID;

-- Schedules follow the version that triggers run. Its nodes may be missing from the draft, so a schedule no longer
-- references a row of nodes.
CREATE TABLE new_schedules (
  node_id INTEGER PRIMARY KEY,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  state TEXT NOT NULL,
  -- JSON: the part of the node's config that its times follow from; NULL while the node is inactive.
  timing TEXT,
  -- Intervals count from here.
  anchor_at TEXT NOT NULL,
  -- NULL while no fire is planned.
  next_fire_at TEXT,
  last_fire_at TEXT,
  last_execution_id TEXT,
  skipped INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  policies TEXT,
  steered_at TEXT
) STRICT;
INSERT INTO new_schedules (node_id, workflow_id, state, timing, anchor_at, next_fire_at, last_fire_at, last_execution_id,
    skipped, error, policies, steered_at)
  SELECT node_id, workflow_id, state, timing, anchor_at, next_fire_at, last_fire_at, last_execution_id, skipped, error,
    policies, steered_at FROM schedules;
DROP TABLE schedules;
ALTER TABLE new_schedules RENAME TO schedules;
CREATE INDEX schedules_due ON schedules (next_fire_at, node_id) WHERE next_fire_at IS NOT NULL;
CREATE INDEX schedules_of_workflow ON schedules (workflow_id);
