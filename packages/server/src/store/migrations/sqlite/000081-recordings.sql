-- What executions exchanged with the outside, and the recorded answers that executions get instead.
CREATE TABLE recordings (
  execution_id TEXT PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  -- 1 for answers that were given to the execution, 0 for what was recorded of it.
  is_given INTEGER NOT NULL,
  -- 1 if it became too large: its exchanges are deleted.
  is_cut INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

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
CREATE INDEX exchanges_of_attempt ON exchanges (recording_id, execution_id, frame, node_id, attempt)
  WHERE execution_id IS NOT NULL;

-- Which attempt got which answer.
CREATE TABLE exchange_uses (
  recording_id TEXT NOT NULL REFERENCES recordings (execution_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  execution_id TEXT NOT NULL,
  frame TEXT NOT NULL,
  node_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX exchange_uses_of_position ON exchange_uses (recording_id, position);
CREATE INDEX exchange_uses_of_attempt ON exchange_uses (recording_id, execution_id, frame, node_id, attempt);

-- The execution whose recording it adds to, or gets its answers from: itself, or the one that started it.
ALTER TABLE executions ADD COLUMN recorded_in TEXT;
ALTER TABLE executions ADD COLUMN answered_by TEXT;
