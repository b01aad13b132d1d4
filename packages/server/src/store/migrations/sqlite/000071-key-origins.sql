-- The key with which a key was created: revoking it revokes them all.
ALTER TABLE api_keys ADD COLUMN issued_by INTEGER REFERENCES api_keys (id);
-- Whether a password or the setup link is at the beginning of the line: a new password revokes these keys.
ALTER TABLE api_keys ADD COLUMN from_password INTEGER NOT NULL DEFAULT 0;
UPDATE api_keys SET from_password = 1 WHERE by_login = 1;
CREATE INDEX api_keys_issued_by ON api_keys (issued_by) WHERE issued_by IS NOT NULL;
