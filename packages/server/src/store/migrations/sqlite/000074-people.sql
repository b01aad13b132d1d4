-- The people that the workflows of one owner know.
CREATE TABLE memory_people (
  id TEXT PRIMARY KEY,
  owner_id INTEGER NOT NULL,
  name TEXT,
  -- In lower case.
  email TEXT,
  -- The Idempotency-Key of the step that stored the person.
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_people_of_owner ON memory_people (owner_id, created_at, id);
CREATE INDEX memory_people_by_email ON memory_people (owner_id, email, created_at, id) WHERE email IS NOT NULL;

-- By which ids channels know them.
CREATE TABLE memory_identities (
  owner_id INTEGER NOT NULL,
  channel TEXT NOT NULL,
  external_id TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES memory_people (id) ON DELETE CASCADE,
  PRIMARY KEY (owner_id, channel, external_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_identities_of_person ON memory_identities (person_id);
