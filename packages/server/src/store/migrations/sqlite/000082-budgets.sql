-- What the models of the workflow may use, as JSON; null for no limit.
ALTER TABLE workflows ADD COLUMN budget TEXT;
