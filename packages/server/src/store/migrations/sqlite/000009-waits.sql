-- What paused steps wait for. The journal says that they paused; these rows say what is still to come, and keep an
-- answer until its run takes it. They go when the run ends.
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
  answer TEXT,
  PRIMARY KEY (execution_id, frame, node_id, stage)
) STRICT, WITHOUT ROWID;

CREATE INDEX waits_due ON waits (wake_at) WHERE state = 'open' AND wake_at IS NOT NULL;
CREATE INDEX waits_of_child ON waits (child_id) WHERE child_id IS NOT NULL AND state = 'open';

-- When the run came to wait with nothing else to do, and how long it has done so before: that is not its time.
ALTER TABLE executions ADD COLUMN parked_at TEXT;
ALTER TABLE executions ADD COLUMN parked_ms REAL NOT NULL DEFAULT 0;
-- How many executions above it started it.
ALTER TABLE executions ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;

CREATE INDEX executions_parked ON executions (owner_id, status, accepted_at, id)
  WHERE status = 'waiting' OR status = 'interrupted';
