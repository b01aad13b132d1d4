-- The YAML text of a workflow as its editors wrote it, with their comments and formatting.
CREATE TABLE workflow_texts (
  workflow_id INTEGER PRIMARY KEY REFERENCES workflows (id),
  text TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
