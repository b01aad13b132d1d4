-- The answers that a run has to take, among all that it ever waited for.
CREATE INDEX waits_answered ON waits (execution_id) WHERE state = 'answered' AND pause IS NOT NULL;
