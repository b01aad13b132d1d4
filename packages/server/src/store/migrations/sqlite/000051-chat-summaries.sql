-- What a memory keeps of a conversation up to a turn, in short. It goes with that turn.
CREATE TABLE chat_summaries (
  turn_id INTEGER NOT NULL REFERENCES chat_turns (id) ON DELETE CASCADE,
  -- The node whose memory it is.
  node_id TEXT NOT NULL,
  text TEXT NOT NULL,
  -- The turn whose run made it: those before it never had it, nor do their replays.
  made_for INTEGER NOT NULL,
  PRIMARY KEY (turn_id, node_id)
) STRICT, WITHOUT ROWID;
