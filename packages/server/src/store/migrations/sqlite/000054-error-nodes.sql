-- The node whose failure ended a run, so that lists can show it. Earlier ends have it in the last fact of their journal.
ALTER TABLE executions ADD COLUMN error_node_id TEXT;

UPDATE executions SET error_node_id = (
  SELECT CASE WHEN json_valid(heads) THEN heads ->> '$[#-1][2]' END FROM journal
  WHERE execution_id = executions.id ORDER BY seq DESC LIMIT 1)
WHERE status IN ('failed', 'cancelled');
