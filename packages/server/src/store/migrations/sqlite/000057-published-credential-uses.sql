-- The nodes of published versions that name a credential. Nodes of the newest versions have indexes of their own.
CREATE TABLE published_credential_uses (
  credential_id INTEGER NOT NULL,
  workflow_id INTEGER NOT NULL REFERENCES workflows (id),
  node_id TEXT NOT NULL,
  PRIMARY KEY (credential_id, workflow_id, node_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX published_credential_uses_of_workflow ON published_credential_uses (workflow_id);

INSERT INTO published_credential_uses (credential_id, workflow_id, node_id)
SELECT DISTINCT field.value, w.id, node.value ->> '$.nodeId'
FROM workflows w
  JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.published_version
  JOIN json_each(iif(json_valid(v.graph), v.graph, '{}'), '$.nodes') node
  JOIN json_each(node.value, '$.config') field
WHERE field.key IN ('credential_id', 'llm_credential_id') AND field.type = 'integer'
  AND node.value ->> '$.nodeId' IS NOT NULL;
