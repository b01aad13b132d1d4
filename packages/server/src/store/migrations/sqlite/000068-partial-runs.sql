-- The last node that a run of a part of its workflow performs; null for a run of the whole workflow.
ALTER TABLE executions ADD COLUMN to_node_id TEXT;
