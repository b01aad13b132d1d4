-- Values that expressions read as `vars.<name>`: of one workflow, or of the instance (workflow_id NULL).
CREATE TABLE variables (
  id INTEGER PRIMARY KEY,
  workflow_id INTEGER REFERENCES workflows (id),
  name TEXT NOT NULL,
  -- JSON; of a secret variable the mask.
  value TEXT NOT NULL,
  -- `<key id>.<sealed value>` of a secret variable, otherwise NULL.
  sealed TEXT,
  -- JSON list of the hosts that a secret may be sent to.
  allowed_hosts TEXT NOT NULL DEFAULT '[]',
  -- Incremented by every write, including a key rotation: the compare-and-set of a caller that opens and seals again.
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE UNIQUE INDEX variables_of_workflow ON variables (workflow_id, name) WHERE workflow_id IS NOT NULL;
CREATE UNIQUE INDEX variables_of_instance ON variables (name) WHERE workflow_id IS NULL;

-- The variables as they were when a run started. Only runs whose workflow names `vars` have a row.
CREATE TABLE run_variables (
  execution_id TEXT PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  -- JSON: {values, secrets}.
  variables TEXT NOT NULL
) STRICT, WITHOUT ROWID;
