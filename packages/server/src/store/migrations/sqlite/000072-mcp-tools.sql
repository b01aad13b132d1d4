-- Whether MCP clients may call the workflow as a tool.
ALTER TABLE workflows ADD COLUMN mcp INTEGER NOT NULL DEFAULT 0;
-- The tools of one owner, without a scan of all their workflows.
CREATE INDEX workflows_mcp ON workflows (owner_id, id) WHERE mcp = 1 AND deleted_at IS NULL;
