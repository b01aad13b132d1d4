-- When the last update of a bot was received. NULL for one from before this column existed.
ALTER TABLE bot_offsets ADD COLUMN received_at TEXT;
