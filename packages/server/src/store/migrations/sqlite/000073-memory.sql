-- Whose facts: those of a workflow, those about a person, or those of all workflows of one owner.
CREATE TABLE memory_spaces (
  id INTEGER PRIMARY KEY,
  -- 0 unless they are those of a workflow.
  workflow_id INTEGER NOT NULL,
  -- 0 if they are those of a workflow.
  owner_id INTEGER NOT NULL,
  -- The id of a person, or ''.
  user_id TEXT NOT NULL,
  UNIQUE (workflow_id, owner_id, user_id)
) STRICT;

-- What workflows remember.
CREATE TABLE memory_facts (
  id INTEGER PRIMARY KEY,
  space_id INTEGER NOT NULL REFERENCES memory_spaces (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  -- JSON.
  value TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (space_id, key)
) STRICT;

CREATE INDEX memory_facts_newest ON memory_facts (space_id, updated_at, id);

-- The words of the facts, by their ids. `space` holds one word for the space, so that a search reads its facts only.
CREATE VIRTUAL TABLE memory_words USING fts5 (
  space, key, value, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER memory_facts_end AFTER DELETE ON memory_facts
BEGIN
  DELETE FROM memory_words WHERE rowid = OLD.id;
END;
