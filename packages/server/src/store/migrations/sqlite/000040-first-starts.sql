-- Of a run that was retried: when it first started. Its time counts from `started_at`.
ALTER TABLE executions ADD COLUMN first_started_at TEXT;
-- When the step paused; null of what was waited for before this column.
ALTER TABLE waits ADD COLUMN paused_at TEXT;
