-- The words of the facts, in one row for up to 16 facts of a space. A full-text index merged the words of deleted facts
-- for up to half a second at once, whatever its settings were.
DROP TRIGGER memory_facts_end;
DROP TABLE memory_words;

CREATE TABLE memory_words (
  space_id INTEGER NOT NULL REFERENCES memory_spaces (id) ON DELETE CASCADE,
  -- The ids of its facts, divided by 16.
  block INTEGER NOT NULL,
  -- 8 bytes for each word of each fact, sorted: see `word-block.ts`.
  words BLOB NOT NULL,
  PRIMARY KEY (space_id, block)
) STRICT;

INSERT INTO memory_words (space_id, block, words)
SELECT b.space_id, b.block, (
  SELECT word_block(json_group_array(json_array(f.id, f.key, f.value))) FROM memory_facts f
  WHERE f.id BETWEEN b.block * 16 AND b.block * 16 + 15 AND f.space_id = b.space_id)
FROM (SELECT DISTINCT space_id, id / 16 AS block FROM memory_facts) b;
