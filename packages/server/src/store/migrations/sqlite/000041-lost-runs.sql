-- How often the run was lost with its process since its journal was longer, if it ends where it did at the last time.
ALTER TABLE executions ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN lost_seq INTEGER;
