-- How the run itself has crashed or stalled the process, as JSON; null if it has not.
ALTER TABLE executions ADD COLUMN incident TEXT;
