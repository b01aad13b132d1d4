-- What was asked in chats and what was answered: a row is written with its run, and gets its answer with the run's end.
CREATE TABLE chat_turns (
  id INTEGER PRIMARY KEY,
  execution_id TEXT NOT NULL UNIQUE REFERENCES executions (id) ON DELETE CASCADE,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  session_id TEXT NOT NULL,
  text TEXT NOT NULL,
  answer TEXT
) STRICT;

CREATE INDEX chat_turns_by_user ON chat_turns (workflow_id, user_id, id);

-- Null for a run that no chat started.
ALTER TABLE triggers ADD COLUMN session_id TEXT;
