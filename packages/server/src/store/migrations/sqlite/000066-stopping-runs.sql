-- Runs without an owner that were asked to stop: sub-workflows of a cancelled run, which end in several transactions.
CREATE INDEX executions_stopping ON executions (id)
  WHERE cancel_requested = 1 AND status IN ('pending', 'waiting', 'interrupted');
