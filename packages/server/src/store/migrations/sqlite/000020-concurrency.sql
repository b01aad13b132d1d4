ALTER TABLE workflows ADD COLUMN concurrency_key TEXT;
ALTER TABLE workflows ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

-- The order in which pending runs are claimed: the workflow's priority, then their turn, which alternates workflows.
ALTER TABLE executions ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
-- Of a limited workflow: with which runs it shares the limit. NULL where there is no limit, so that nobody counts.
ALTER TABLE executions ADD COLUMN gate TEXT;
-- Waits until the runs that its schedule started before have ended.
ALTER TABLE executions ADD COLUMN in_turn INTEGER NOT NULL DEFAULT 0;
-- What a pending run was found to wait for: a gate, or `schedule:<id>`. Nobody looks at it again until one is let through.
ALTER TABLE executions ADD COLUMN blocked_on TEXT;

UPDATE executions SET gate = CAST(workflow_id AS TEXT)
  WHERE completed_at IS NULL AND workflow_id IN (SELECT id FROM workflows WHERE concurrency IS NOT NULL);

DROP INDEX executions_pending;
CREATE INDEX executions_pending ON executions (blocked_on, priority DESC, turn, id) WHERE status = 'pending';
-- A permit is nothing but a row here: so none is lost by a crash, and none is held twice.
CREATE INDEX executions_gates ON executions (gate) WHERE status = 'running' AND gate IS NOT NULL;
