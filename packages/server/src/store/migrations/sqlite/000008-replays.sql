-- The execution whose results a replay began with. It may have been deleted since.
ALTER TABLE executions ADD COLUMN replay_of TEXT;
