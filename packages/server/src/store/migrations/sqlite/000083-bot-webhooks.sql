-- Whether the trigger has the messaging platform send messages to the service.
ALTER TABLE bot_triggers ADD COLUMN has_webhook INTEGER NOT NULL DEFAULT 0;
