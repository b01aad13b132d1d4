-- The words of the facts, by their ids. Each word has the space before it and is stored without positions, so that a
-- search takes as long as its space has facts, whatever the facts of other spaces are.
DROP TABLE memory_words;

CREATE VIRTUAL TABLE memory_words USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
