-- When somebody last started, paused or stopped the schedule; NULL before the first time.
ALTER TABLE schedules ADD COLUMN steered_at TEXT;
