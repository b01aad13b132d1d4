-- What belongs to a trigger_schedule node beside its config. It lives and dies with the node.
CREATE TABLE schedules (
  node_id INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  state TEXT NOT NULL,
  -- JSON: the part of the node's config that its times follow from; NULL while the node is inactive.
  timing TEXT,
  -- Intervals count from here.
  anchor_at TEXT NOT NULL,
  -- NULL while nothing is to come.
  next_fire_at TEXT,
  last_fire_at TEXT,
  last_execution_id TEXT,
  skipped INTEGER NOT NULL DEFAULT 0,
  error TEXT
) STRICT;

CREATE INDEX schedules_due ON schedules (next_fire_at, node_id) WHERE next_fire_at IS NOT NULL;
CREATE INDEX schedules_of_workflow ON schedules (workflow_id);

-- The schedule that started a run.
ALTER TABLE executions ADD COLUMN schedule_id INTEGER;

-- One run for each time of a schedule, whoever fires it: the time is its idempotency key. This finds those that are open.
CREATE INDEX executions_open_of_schedule ON executions (schedule_id)
  WHERE schedule_id IS NOT NULL AND completed_at IS NULL;
