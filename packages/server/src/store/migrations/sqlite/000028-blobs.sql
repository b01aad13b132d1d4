-- Large values of journals, by the SHA-256 (hex) of their JSON: the same value is stored once, whoever had it.
CREATE TABLE blobs (
  hash TEXT PRIMARY KEY,
  json TEXT NOT NULL
) STRICT;

-- Which runs a value belongs to. It goes with the last of them, in the transaction that deletes the run.
CREATE TABLE blob_uses (
  execution_id TEXT NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  hash TEXT NOT NULL REFERENCES blobs (hash),
  PRIMARY KEY (execution_id, hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX blob_uses_of_hash ON blob_uses (hash);

CREATE TRIGGER blob_uses_end AFTER DELETE ON blob_uses
WHEN NOT EXISTS (SELECT 1 FROM blob_uses WHERE hash = OLD.hash)
BEGIN
  DELETE FROM blobs WHERE hash = OLD.hash;
END;
