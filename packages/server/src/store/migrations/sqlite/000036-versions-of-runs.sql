-- The version at the end of the index: which versions the runs of a workflow name is then read from it alone, also by
-- SQLite itself, which looks for runs of a version before it lets go of that.
DROP INDEX executions_of_workflow;
CREATE INDEX executions_of_workflow ON executions (workflow_id, accepted_at, id, version);
