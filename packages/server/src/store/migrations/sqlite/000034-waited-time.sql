-- How long a run has only waited follows from its journal.
ALTER TABLE executions DROP COLUMN parked_at;
ALTER TABLE executions DROP COLUMN parked_ms;
