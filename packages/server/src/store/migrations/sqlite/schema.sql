CREATE TRIGGER blob_uses_end AFTER DELETE ON blob_uses
WHEN NOT EXISTS (SELECT 1 FROM blob_uses WHERE hash = OLD.hash)
BEGIN
  DELETE FROM blobs WHERE hash = OLD.hash;
END;

CREATE TRIGGER memory_people_added AFTER INSERT ON memory_people
BEGIN
  INSERT INTO memory_people_counts (owner_id, n) VALUES (NEW.owner_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER memory_people_given AFTER UPDATE OF owner_id ON memory_people
BEGIN
  UPDATE memory_people_counts SET n = n - 1 WHERE owner_id = OLD.owner_id;
  INSERT INTO memory_people_counts (owner_id, n) VALUES (NEW.owner_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER memory_people_removed AFTER DELETE ON memory_people
BEGIN
  UPDATE memory_people_counts SET n = n - 1 WHERE owner_id = OLD.owner_id;
END;

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
, by_login INTEGER NOT NULL DEFAULT 0, renewable_until TEXT, issued_by INTEGER REFERENCES api_keys (id), from_password INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE blob_uses (
  execution_id TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  hash TEXT NOT NULL REFERENCES blobs (hash),
  PRIMARY KEY (execution_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE blobs (
  hash TEXT PRIMARY KEY,
  json TEXT NOT NULL
) STRICT;

CREATE TABLE bot_errors (
  credential_id INTEGER PRIMARY KEY REFERENCES credentials (id) ON DELETE CASCADE,
  error TEXT NOT NULL
) STRICT;

CREATE TABLE bot_offsets (
  bot_id TEXT PRIMARY KEY,
  next_update INTEGER NOT NULL
, received_at TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE bot_replies (
  id INTEGER PRIMARY KEY,
  execution_id TEXT NOT NULL UNIQUE REFERENCES executions (id) ON DELETE CASCADE,
  credential_id INTEGER NOT NULL,
  chat_id TEXT NOT NULL,
  message_id INTEGER NOT NULL,
  -- NULL until the execution has answered.
  answer TEXT,
  -- The parts of the answer that were sent.
  sent INTEGER NOT NULL DEFAULT 0,
  -- Attempts that failed since then.
  failures INTEGER NOT NULL DEFAULT 0,
  -- When it is to be sent; NULL until there is an answer.
  due_at TEXT
) STRICT;

CREATE TABLE bot_triggers (
  node_id INTEGER PRIMARY KEY,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  -- NULL while none is chosen. It may have been deleted.
  credential_id INTEGER
, has_webhook INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE chat_summaries (
  turn_id INTEGER NOT NULL REFERENCES chat_turns (id) ON DELETE CASCADE,
  -- The node whose memory it is.
  node_id TEXT NOT NULL,
  text TEXT NOT NULL,
  -- The turn whose run made it: those before it never had it, nor do their replays.
  made_for INTEGER NOT NULL,
  PRIMARY KEY (turn_id, node_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE chat_turns (
  id INTEGER PRIMARY KEY,
  execution_id TEXT NOT NULL UNIQUE REFERENCES executions (id) ON DELETE CASCADE,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  session_id TEXT NOT NULL,
  text TEXT NOT NULL,
  answer TEXT
) STRICT;

CREATE TABLE collaborators (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  role TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (workflow_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE credentials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  credential_type TEXT NOT NULL,
  -- What answers show: computed when the secrets were given, so that reading opens nothing.
  masked TEXT NOT NULL,
  -- `<key id>.<sealed detail>`.
  sealed TEXT NOT NULL,
  -- Goes up with each write, a rotation's too: the compare-and-set of whoever opens and seals again.
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE database_use (
  is_open INTEGER NOT NULL
) STRICT;

CREATE TABLE "edges" (
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

CREATE TABLE exchange_uses (
  recording_id TEXT NOT NULL REFERENCES recordings (execution_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  execution_id TEXT NOT NULL,
  frame TEXT NOT NULL,
  node_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  epoch INTEGER NOT NULL
) STRICT;

CREATE TABLE exchanges (
  recording_id TEXT NOT NULL REFERENCES recordings (execution_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entry TEXT NOT NULL,
  -- How often it answers.
  times INTEGER NOT NULL DEFAULT 1,
  -- The attempt that it was recorded of, and the epoch of its owner; null in answers that were given.
  step_workflow_id INTEGER,
  execution_id TEXT,
  frame TEXT,
  node_id TEXT,
  attempt INTEGER,
  epoch INTEGER,
  PRIMARY KEY (recording_id, position)
) STRICT;

CREATE TABLE execution_counts (
  owner_id INTEGER NOT NULL,
  workflow_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (owner_id, workflow_id, status)
) STRICT, WITHOUT ROWID;

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
  completed_at TEXT, llm_calls INTEGER NOT NULL DEFAULT 0, input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0, cost_usd REAL NOT NULL DEFAULT 0, replay_of TEXT, depth INTEGER NOT NULL DEFAULT 0, schedule_id INTEGER, is_manual INTEGER NOT NULL DEFAULT 0, priority INTEGER NOT NULL DEFAULT 0, turn INTEGER NOT NULL DEFAULT 0, gate TEXT, in_turn INTEGER NOT NULL DEFAULT 0, blocked_on TEXT, unowned_ms INTEGER NOT NULL DEFAULT 0, first_started_at TEXT, losses INTEGER NOT NULL DEFAULT 0, lost_seq INTEGER, error_node_id TEXT, idempotency_body TEXT, incident TEXT, clock_sets TEXT, to_node_id TEXT, recorded_in TEXT, answered_by TEXT,
  FOREIGN KEY (workflow_id, version) REFERENCES workflow_versions (workflow_id, version)
) STRICT, WITHOUT ROWID;

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
, request TEXT) STRICT;

CREATE TABLE hourly_ends (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  -- The beginning of a timestamp: `2026-01-31T12`.
  hour TEXT NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, hour, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  execution_id TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  heads TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (execution_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_facts (
  id INTEGER PRIMARY KEY,
  space_id INTEGER NOT NULL REFERENCES memory_spaces (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  -- JSON.
  value TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (space_id, key)
) STRICT;

CREATE TABLE memory_identities (
  owner_id INTEGER NOT NULL,
  channel TEXT NOT NULL,
  external_id TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES memory_people (id) ON DELETE CASCADE,
  PRIMARY KEY (owner_id, channel, external_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_people (
  id TEXT PRIMARY KEY,
  owner_id INTEGER NOT NULL,
  name TEXT,
  -- In lower case.
  email TEXT,
  -- The Idempotency-Key of the step that stored the person.
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL
, name_lower TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE memory_people_counts (
  owner_id INTEGER PRIMARY KEY,
  n INTEGER NOT NULL
) STRICT;

CREATE TABLE memory_spaces (
  id INTEGER PRIMARY KEY,
  -- 0 unless they are those of a workflow.
  workflow_id INTEGER NOT NULL,
  -- 0 if they are those of a workflow.
  owner_id INTEGER NOT NULL,
  -- The id of a person, or ''.
  user_id TEXT NOT NULL,
  UNIQUE (workflow_id, owner_id, user_id)
) STRICT;

CREATE TABLE memory_words (
  space_id INTEGER NOT NULL REFERENCES memory_spaces (id) ON DELETE CASCADE,
  -- The ids of its facts, divided by 16.
  block INTEGER NOT NULL,
  -- 8 bytes for each word of each fact, sorted: see `word-block.ts`.
  words BLOB NOT NULL,
  PRIMARY KEY (space_id, block)
) STRICT;

CREATE TABLE migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT;

CREATE TABLE model_usage (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  -- Both empty for what exceeds the number of rows of a day.
  node_id TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  PRIMARY KEY (workflow_id, day, node_id, model)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE publications (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  version INTEGER NOT NULL,
  published_at TEXT NOT NULL,
  author_id INTEGER,
  note TEXT,
  PRIMARY KEY (workflow_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE published_credential_uses (
  credential_id INTEGER NOT NULL,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  node_id TEXT NOT NULL,
  PRIMARY KEY (credential_id, workflow_id, node_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE recordings (
  execution_id TEXT PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  -- 1 for answers that were given to the execution, 0 for what was recorded of it.
  is_given INTEGER NOT NULL,
  -- 1 if it became too large: its exchanges are deleted.
  is_cut INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE "run_variables" (
  execution_id TEXT PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  set_id INTEGER NOT NULL REFERENCES variable_sets (id)
) STRICT, WITHOUT ROWID;

CREATE TABLE "schedules" (
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

CREATE TABLE secret_keys (
  id TEXT PRIMARY KEY,
  check_value TEXT NOT NULL,
  is_current INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE "triggers" (
  execution_id TEXT NOT NULL UNIQUE REFERENCES executions (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  headers TEXT,
  query TEXT,
  session_id TEXT,
  payload TEXT NOT NULL
) STRICT;

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  username TEXT NOT NULL UNIQUE,
  is_admin INTEGER NOT NULL,
  -- Live workflows, kept by each insert and removal: a list's total must not count 100,000 rows.
  workflow_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
, password_hash TEXT, deleted_at TEXT) STRICT;

CREATE TABLE variable_set_values (
  set_id INTEGER NOT NULL REFERENCES variable_sets (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  version_id INTEGER NOT NULL REFERENCES variable_versions (id),
  PRIMARY KEY (set_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE variable_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256 of its names and versions.
  digest TEXT NOT NULL UNIQUE,
  -- JSON list of the names of secret variables.
  secrets TEXT NOT NULL
) STRICT;

CREATE TABLE variable_versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The variable, while it exists, and its revision with this value.
  variable_id INTEGER REFERENCES variables (id) ON DELETE SET NULL,
  revision INTEGER NOT NULL,
  -- JSON.
  value TEXT NOT NULL
) STRICT;

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

CREATE TABLE waits (
  execution_id TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  frame TEXT NOT NULL,
  node_id TEXT NOT NULL,
  stage TEXT NOT NULL,
  -- open, then answered, then taken by the run. What is answered before the step pauses begins as answered.
  state TEXT NOT NULL,
  -- JSON: the pause as in its fact; null as long as the step has not paused.
  pause TEXT,
  -- SHA-256 (hex) of what stands in a callback URL.
  token_hash TEXT,
  child_id TEXT,
  wake_at TEXT,
  -- JSON.
  answer TEXT, paused_at TEXT,
  PRIMARY KEY (execution_id, frame, node_id, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_texts (
  workflow_id INTEGER PRIMARY KEY REFERENCES workflows (id),
  text TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE workflow_versions (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  version INTEGER NOT NULL,
  graph TEXT NOT NULL,
  PRIMARY KEY (workflow_id, version)
) STRICT;

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
, newest_version_id INTEGER, oldest_version INTEGER NOT NULL DEFAULT 1, concurrency_key TEXT, priority INTEGER NOT NULL DEFAULT 0, published_version INTEGER, published_version_id INTEGER, mcp INTEGER NOT NULL DEFAULT 0, budget TEXT) STRICT;

CREATE INDEX api_keys_issued_by ON api_keys (issued_by) WHERE issued_by IS NOT NULL;

CREATE INDEX api_keys_of_user ON api_keys (user_id) WHERE revoked_at IS NULL;

CREATE INDEX blob_uses_of_hash ON blob_uses (hash);

CREATE INDEX bot_replies_due ON bot_replies (due_at, id) WHERE due_at IS NOT NULL;

CREATE INDEX bot_triggers_of_workflow ON bot_triggers (workflow_id);

CREATE INDEX chat_turns_by_user ON chat_turns (workflow_id, user_id, id);

CREATE INDEX collaborations_of_user ON collaborators (user_id);

CREATE INDEX credentials_by_name ON credentials (name, id);

CREATE INDEX edges_not_indexed ON edges (id) WHERE is_indexed = 0;

CREATE INDEX edges_of_workflow ON edges (workflow_id, id) WHERE is_indexed = 1;

CREATE INDEX exchange_uses_of_attempt ON exchange_uses (recording_id, execution_id, frame, node_id, attempt);

CREATE INDEX exchange_uses_of_position ON exchange_uses (recording_id, position);

CREATE INDEX exchanges_of_attempt ON exchanges (recording_id, execution_id, frame, node_id, attempt)
  WHERE execution_id IS NOT NULL;

CREATE UNIQUE INDEX executions_by_key ON executions (workflow_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE INDEX executions_ended_badly ON executions (owner_id, status, accepted_at, id)
  WHERE status = 'failed' OR status = 'cancelled';

CREATE INDEX executions_gates ON executions (gate) WHERE status = 'running' AND gate IS NOT NULL;

CREATE INDEX executions_leases ON executions (lease_until) WHERE status = 'running';

CREATE INDEX executions_of_owner ON executions (owner_id, accepted_at, id);

CREATE INDEX executions_of_workflow ON executions (workflow_id, accepted_at, id, version);

CREATE INDEX executions_of_workflow_ended_badly ON executions (workflow_id, status, accepted_at, id)
  WHERE status = 'failed' OR status = 'cancelled';

CREATE INDEX executions_open_of_schedule ON executions (schedule_id)
  WHERE schedule_id IS NOT NULL AND completed_at IS NULL;

CREATE INDEX executions_parked ON executions (owner_id, status, accepted_at, id)
  WHERE status = 'waiting' OR status = 'interrupted';

CREATE INDEX executions_pending ON executions (blocked_on, priority DESC, turn, id) WHERE status = 'pending';

CREATE INDEX executions_stopping ON executions (id)
  WHERE cancel_requested = 1 AND status IN ('pending', 'waiting', 'interrupted');

CREATE INDEX memory_facts_newest ON memory_facts (space_id, updated_at, id);

CREATE INDEX memory_identities_of_person ON memory_identities (person_id);

CREATE INDEX memory_people_by_email ON memory_people (owner_id, email, created_at, id) WHERE email IS NOT NULL;

CREATE INDEX memory_people_by_name ON memory_people (owner_id, name_lower) WHERE name_lower IS NOT NULL;

CREATE INDEX memory_people_of_owner ON memory_people (owner_id, created_at, id);

CREATE INDEX nodes_by_credential ON nodes (json_extract(config, '$.credential_id'))
  WHERE json_extract(config, '$.credential_id') IS NOT NULL;

CREATE INDEX nodes_by_llm_credential ON nodes (json_extract(config, '$.llm_credential_id'))
  WHERE json_extract(config, '$.llm_credential_id') IS NOT NULL;

CREATE INDEX nodes_of_workflow ON nodes (workflow_id, id);

CREATE INDEX nodes_triggers ON nodes (workflow_id, component_type) WHERE component_type GLOB 'trigger_*';

CREATE INDEX published_credential_uses_of_workflow ON published_credential_uses (workflow_id);

CREATE INDEX runs_of_set ON run_variables (set_id);

CREATE INDEX schedules_due ON schedules (next_fire_at, node_id) WHERE next_fire_at IS NOT NULL;

CREATE INDEX schedules_of_workflow ON schedules (workflow_id);

CREATE UNIQUE INDEX secret_keys_current ON secret_keys (is_current) WHERE is_current = 1;

CREATE INDEX sets_of_version ON variable_set_values (version_id);

CREATE INDEX state_values_expiring ON state_values (expires_at) WHERE expires_at IS NOT NULL;

CREATE UNIQUE INDEX users_by_name ON users (username COLLATE NOCASE);

CREATE UNIQUE INDEX variables_of_instance ON variables (name) WHERE workflow_id IS NULL;

CREATE UNIQUE INDEX variables_of_workflow ON variables (workflow_id, name);

CREATE UNIQUE INDEX versions_of_variable ON variable_versions (variable_id, revision) WHERE variable_id IS NOT NULL;

CREATE INDEX waits_answered ON waits (execution_id) WHERE state = 'answered' AND pause IS NOT NULL;

CREATE INDEX waits_due ON waits (wake_at) WHERE state = 'open' AND wake_at IS NOT NULL;

CREATE INDEX waits_of_child ON waits (child_id) WHERE child_id IS NOT NULL AND state = 'open';

CREATE INDEX workflows_by_owner ON workflows (owner_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX workflows_by_slug ON workflows (slug) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX workflows_default ON workflows (owner_id) WHERE is_default = 1 AND deleted_at IS NULL;

CREATE INDEX workflows_in_trash ON workflows (owner_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX workflows_mcp ON workflows (owner_id, id) WHERE mcp = 1 AND deleted_at IS NULL;
