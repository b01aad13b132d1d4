-- Values that persist between runs: of a workflow, or of a scope that all workflows of one owner share.
CREATE TABLE state_values (
  -- 0 for a value of a scope.
  workflow_id INTEGER NOT NULL,
  -- 0 and '' for a value of a workflow.
  owner_id INTEGER NOT NULL,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  -- JSON.
  value TEXT NOT NULL,
  expires_at TEXT,
  PRIMARY KEY (workflow_id, owner_id, scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX state_values_expiring ON state_values (expires_at) WHERE expires_at IS NOT NULL;
