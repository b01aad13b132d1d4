-- In lower case: SQLite's own lower() knows ASCII only.
ALTER TABLE memory_people ADD COLUMN name_lower TEXT;
UPDATE memory_people SET name_lower = lower(name);
CREATE INDEX memory_people_by_name ON memory_people (owner_id, name_lower) WHERE name_lower IS NOT NULL;

-- How many people the workflows of an owner know: counting them takes too long for each new one.
CREATE TABLE memory_people_counts (
  owner_id INTEGER PRIMARY KEY,
  n INTEGER NOT NULL
) STRICT;

INSERT INTO memory_people_counts (owner_id, n) SELECT owner_id, count(*) FROM memory_people GROUP BY owner_id;

CREATE TRIGGER memory_people_added AFTER INSERT ON memory_people
BEGIN
  INSERT INTO memory_people_counts (owner_id, n) VALUES (NEW.owner_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER memory_people_removed AFTER DELETE ON memory_people
BEGIN
  UPDATE memory_people_counts SET n = n - 1 WHERE owner_id = OLD.owner_id;
END;

CREATE TRIGGER memory_people_given AFTER UPDATE OF owner_id ON memory_people
BEGIN
  UPDATE memory_people_counts SET n = n - 1 WHERE owner_id = OLD.owner_id;
  INSERT INTO memory_people_counts (owner_id, n) VALUES (NEW.owner_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
