-- SHA-256 of the request body that came with the idempotency key; NULL where the key alone decides.
ALTER TABLE executions ADD COLUMN idempotency_body TEXT;
