-- What the model calls of a run's steps took, summed up as their facts are appended: a list shows it without reading journals.
ALTER TABLE executions ADD COLUMN llm_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE executions ADD COLUMN cost_usd REAL NOT NULL DEFAULT 0;
