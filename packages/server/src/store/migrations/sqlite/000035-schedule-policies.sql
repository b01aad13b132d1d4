-- JSON: what the node's config says beside its times. When it changes, what went wrong before counts no more.
ALTER TABLE schedules ADD COLUMN policies TEXT;
