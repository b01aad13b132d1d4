-- With whom a workflow is shared. Its owner is not here: they are in the workflow's own row.
CREATE TABLE collaborators (
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  role TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (workflow_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX collaborations_of_user ON collaborators (user_id);

-- How a password was hashed, and the hash; NULL for who cannot log in with one.
ALTER TABLE users ADD COLUMN password_hash TEXT;
-- A deleted user's row stays: workflows and keys name it. Its username is then one that nobody can have.
ALTER TABLE users ADD COLUMN deleted_at TEXT;

-- Made by a login, to end with the password.
ALTER TABLE api_keys ADD COLUMN by_login INTEGER NOT NULL DEFAULT 0;

-- Names that differ in case only would be taken for each other.
CREATE UNIQUE INDEX users_by_name ON users (username COLLATE NOCASE);
