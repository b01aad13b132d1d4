-- Whether somebody started the run by hand: only then do pinned outputs stand for what their nodes would do.
ALTER TABLE executions ADD COLUMN is_manual INTEGER NOT NULL DEFAULT 0;
