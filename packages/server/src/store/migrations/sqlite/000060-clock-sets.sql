-- How the clock was set while the run was in progress, as JSON: [{afterSeq, byMs}]; null if it was not.
ALTER TABLE executions ADD COLUMN clock_sets TEXT;
