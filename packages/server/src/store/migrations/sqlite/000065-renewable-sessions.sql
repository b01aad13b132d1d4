-- A renewal moves the expiry of a session, at most to this time. Keys without it are not renewed.
ALTER TABLE api_keys ADD COLUMN renewable_until TEXT;
