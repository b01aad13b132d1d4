-- The triggers of chat bots in the versions that triggers run.
CREATE TABLE bot_triggers (
  node_id INTEGER PRIMARY KEY,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  -- NULL while none is chosen. It may have been deleted.
  credential_id INTEGER
) STRICT;

CREATE INDEX bot_triggers_of_workflow ON bot_triggers (workflow_id);

-- The first update of a bot that has not been received yet, by the id of the bot on the platform.
CREATE TABLE bot_offsets (
  bot_id TEXT PRIMARY KEY,
  next_update INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Why bots receive nothing; without a row, they do.
CREATE TABLE bot_errors (
  credential_id INTEGER PRIMARY KEY REFERENCES credentials (id) ON DELETE CASCADE,
  error TEXT NOT NULL
) STRICT;

-- Messages whose answers are sent to their chats.
CREATE TABLE bot_replies (
  id INTEGER PRIMARY KEY,
  execution_id TEXT NOT NULL UNIQUE REFERENCES executions (id) ON DELETE CASCADE,
  credential_id INTEGER NOT NULL,
  chat_id TEXT NOT NULL,
  message_id INTEGER NOT NULL,
  -- NULL until the execution has answered.
  answer TEXT,
  -- The parts of the answer that were sent.
  sent INTEGER NOT NULL DEFAULT 0,
  -- Attempts that failed since then.
  failures INTEGER NOT NULL DEFAULT 0,
  -- When it is to be sent; NULL until there is an answer.
  due_at TEXT
) STRICT;

CREATE INDEX bot_replies_due ON bot_replies (due_at, id) WHERE due_at IS NOT NULL;
