-- Milliseconds for which nobody had the run after it had begun: they are not its time.
ALTER TABLE executions ADD COLUMN unowned_ms INTEGER NOT NULL DEFAULT 0;
