-- A table without row ids is one tree of whole rows: each look-up reads the rows that it passes completely, and some have
-- a payload of megabytes. With row ids it passes only ids. The payload is last, so that the other columns are read
-- without it.
CREATE TABLE new_triggers (
  execution_id TEXT NOT NULL UNIQUE REFERENCES executions (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  headers TEXT,
  query TEXT,
  session_id TEXT,
  payload TEXT NOT NULL
) STRICT;
INSERT INTO new_triggers (execution_id, text, headers, query, session_id, payload)
  SELECT execution_id, text, headers, query, session_id, payload FROM triggers;
DROP TABLE triggers;
ALTER TABLE new_triggers RENAME TO triggers;
