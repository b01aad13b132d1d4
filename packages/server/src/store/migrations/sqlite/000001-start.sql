-- Timestamps are TEXT, `YYYY-MM-DDTHH:MM:SS.ffffff` in UTC, so that they sort as text. JSON is TEXT. Booleans are 0 and 1.
-- AUTOINCREMENT where an id shows in the API: a deleted object's id is never given to another.

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  username TEXT NOT NULL UNIQUE,
  is_admin INTEGER NOT NULL,
  -- Live workflows, kept by each insert and removal: a list's total must not count 100,000 rows.
  workflow_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used_at TEXT,
  revoked_at TEXT
) STRICT;

CREATE INDEX api_keys_of_user ON api_keys (user_id) WHERE revoked_at IS NULL;

CREATE TABLE workflows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES users (id),
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  description TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  is_public INTEGER NOT NULL,
  is_default INTEGER NOT NULL,
  tags TEXT,
  error_handler_workflow_id INTEGER REFERENCES workflows (id),
  input_schema TEXT,
  output_schema TEXT,
  node_count INTEGER NOT NULL DEFAULT 0,
  edge_count INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  max_execution_seconds REAL NOT NULL,
  concurrency INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;

-- Only live workflows hold a slug: a removed one's is free again.
CREATE UNIQUE INDEX workflows_by_slug ON workflows (slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX workflows_default ON workflows (owner_id) WHERE is_default = 1 AND deleted_at IS NULL;
CREATE INDEX workflows_by_owner ON workflows (owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  node_id TEXT NOT NULL,
  label TEXT,
  component_type TEXT NOT NULL,
  is_entry_point INTEGER NOT NULL,
  interrupt_before INTEGER NOT NULL,
  interrupt_after INTEGER NOT NULL,
  position_x INTEGER NOT NULL,
  position_y INTEGER NOT NULL,
  config TEXT NOT NULL,
  subworkflow_id INTEGER,
  code_block_id INTEGER,
  updated_at TEXT NOT NULL,
  UNIQUE (workflow_id, node_id)
) STRICT;

CREATE INDEX nodes_of_workflow ON nodes (workflow_id, id);

CREATE TABLE edges (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  source_node_id TEXT NOT NULL,
  target_node_id TEXT NOT NULL,
  edge_type TEXT NOT NULL,
  edge_label TEXT NOT NULL,
  condition_mapping TEXT,
  condition_value TEXT NOT NULL,
  priority INTEGER NOT NULL
) STRICT;

CREATE INDEX edges_of_workflow ON edges (workflow_id, id);

-- The graph of each version that some run started with; never changed, never deleted while a run names it.
CREATE TABLE workflow_versions (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  version INTEGER NOT NULL,
  graph TEXT NOT NULL,
  PRIMARY KEY (workflow_id, version)
) STRICT;

-- Small rows on purpose: SQLite writes a whole row on each update, and this one changes with every append. Payloads are
-- in `triggers`, results in `journal`.
CREATE TABLE executions (
  id TEXT PRIMARY KEY,
  workflow_id INTEGER NOT NULL,
  -- The workflow's owner: lists of one user's runs need it in their index.
  owner_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  trigger_node_id TEXT NOT NULL,
  parent_execution_id TEXT,
  idempotency_key TEXT,
  status TEXT NOT NULL,
  -- Goes up with each claim; an append of an older epoch is refused.
  epoch INTEGER NOT NULL DEFAULT 0,
  -- The journal's end: the other half of an append's compare-and-set.
  last_seq INTEGER NOT NULL DEFAULT 0,
  claimed_by TEXT,
  lease_until TEXT,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_message TEXT,
  accepted_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT,
  FOREIGN KEY (workflow_id, version) REFERENCES workflow_versions (workflow_id, version)
) STRICT, WITHOUT ROWID;

-- The two ways to be claimable, oldest first; both hold open runs only, so they stay small.
CREATE INDEX executions_pending ON executions (accepted_at, id) WHERE status = 'pending';
CREATE INDEX executions_leases ON executions (lease_until) WHERE status = 'running';
CREATE UNIQUE INDEX executions_by_key ON executions (workflow_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- Lists, newest first.
CREATE INDEX executions_of_owner ON executions (owner_id, accepted_at, id);
CREATE INDEX executions_of_workflow ON executions (workflow_id, accepted_at, id);
-- What people look for and what is rare: without these a list of failed runs would walk past all completed ones.
-- OR, because SQLite does not see that an equality lies within IN.
CREATE INDEX executions_ended_badly ON executions (owner_id, status, accepted_at, id)
  WHERE status = 'failed' OR status = 'cancelled';
CREATE INDEX executions_of_workflow_ended_badly ON executions (workflow_id, status, accepted_at, id)
  WHERE status = 'failed' OR status = 'cancelled';

-- What started each run.
CREATE TABLE triggers (
  execution_id TEXT PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  payload TEXT NOT NULL,
  text TEXT NOT NULL,
  headers TEXT,
  query TEXT
) STRICT, WITHOUT ROWID;

-- The facts of each run, gapless from 1; a row holds those of one append, `seq` counts its first. `heads` and `data` are
-- JSON arrays with an element for each fact: what happened where, and what a search looks into.
CREATE TABLE journal (
  execution_id TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  heads TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (execution_id, seq)
) STRICT, WITHOUT ROWID;

-- How many runs have each status, per workflow and (workflow_id 0) per owner, so that totals are read, not counted.
CREATE TABLE execution_counts (
  owner_id INTEGER NOT NULL,
  workflow_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (owner_id, workflow_id, status)
) STRICT, WITHOUT ROWID;
