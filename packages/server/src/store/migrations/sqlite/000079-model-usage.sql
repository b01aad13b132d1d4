-- What the models of a workflow used, by day (UTC), node and model. It remains when executions are deleted.
CREATE TABLE model_usage (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  -- Both empty for what exceeds the number of rows of a day.
  node_id TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  PRIMARY KEY (workflow_id, day, node_id, model)
) STRICT, WITHOUT ROWID;
