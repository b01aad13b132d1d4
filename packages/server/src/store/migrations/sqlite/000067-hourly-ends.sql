-- How many executions of a workflow ended in each of the last hours. A count of the rows of executions would read all
-- executions of a day.
CREATE TABLE hourly_ends (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  -- The beginning of a timestamp: `2026-01-31T12`.
  hour TEXT NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, hour, status)
) STRICT, WITHOUT ROWID;

-- The triggers of a workflow, without reading its other nodes.
CREATE INDEX nodes_triggers ON nodes (workflow_id, component_type) WHERE component_type GLOB 'trigger_*';
