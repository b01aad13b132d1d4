-- The keys that secrets are sealed with: never the keys themselves, but a sealed word by which to know that a key is the
-- right one. One is current; others are there only while a rotation re-seals what they still hold.
CREATE TABLE secret_keys (
  id TEXT PRIMARY KEY,
  check_value TEXT NOT NULL,
  is_current INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX secret_keys_current ON secret_keys (is_current) WHERE is_current = 1;

CREATE TABLE credentials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  credential_type TEXT NOT NULL,
  -- What answers show: computed when the secrets were given, so that reading opens nothing.
  masked TEXT NOT NULL,
  -- `<key id>.<sealed detail>`.
  sealed TEXT NOT NULL,
  -- Goes up with each write, a rotation's too: the compare-and-set of whoever opens and seals again.
  revision INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Which nodes use a credential: asked when it is deleted, so that only they are looked at.
CREATE INDEX nodes_by_credential ON nodes (json_extract(config, '$.credential_id'))
  WHERE json_extract(config, '$.credential_id') IS NOT NULL;

CREATE INDEX nodes_by_llm_credential ON nodes (json_extract(config, '$.llm_credential_id'))
  WHERE json_extract(config, '$.llm_credential_id') IS NOT NULL;
