-- YAML texts name credentials: each name is one look-up, however many credentials there are.
CREATE INDEX credentials_by_name ON credentials (name, id);
