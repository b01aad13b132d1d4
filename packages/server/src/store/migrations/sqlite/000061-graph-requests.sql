-- JSON: the id that a client gave to the request which created the version, and the node or edge of each operation, so
-- that a repeated request gets the same answer. NULL for a save without such an id.
ALTER TABLE graph_versions ADD COLUMN request TEXT;
