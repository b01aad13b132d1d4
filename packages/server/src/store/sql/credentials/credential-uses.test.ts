import { describe, expect, test } from 'vitest';
import { Connection } from '../database/connection.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import { prepareCredentialUses } from './credential-uses.ts';

describe('uses of credentials', () => {
  // Requirement interface.credentials.usage.published
  test('are found in versions that were published before the upgrade', () => {
    const connection = new Connection(':memory:');
    const steps = sqliteMigrations();
    migrate(
      connection,
      steps.filter(({ number }) => number < 57),
    );
    const workflow = (id: number, published: number | null) =>
      `INSERT INTO workflows (id, owner_id, name, slug, description, is_active, is_public, is_default, version,
         published_version, max_execution_seconds, created_at, updated_at)
       VALUES (${id}, 1, 'w', 'w${id}', '', 1, 0, 0, 3, ${published}, 900, '', '');`;
    connection.script(`INSERT INTO users (id, username, is_admin, created_at) VALUES (1, 'u', 0, '');
      ${workflow(1, 2)} ${workflow(2, null)} ${workflow(3, 2)} ${workflow(4, 2)}`);
    const pin = connection.prepare<[number, number, string]>('INSERT INTO workflow_versions VALUES (?, ?, ?)');
    const graph = JSON.stringify({
      nodes: [
        { nodeId: 'both', config: { credential_id: 7, llm_credential_id: 7 } },
        { nodeId: 'model', config: { credential_id: null, llm_credential_id: 8, extra_config: { credential_id: 7 } } },
        { nodeId: 'none', config: {} },
      ],
      edges: [],
    });
    pin.run(1, 2, graph);
    pin.run(1, 1, '{"nodes":[{"nodeId":"older","config":{"credential_id":7}}]}');
    pin.run(2, 2, graph);
    pin.run(3, 2, 'damaged');
    pin.run(4, 2, '{"nodes":[5,{"nodeId":null,"config":{"credential_id":7}}]}');
    migrate(connection, steps);
    const { read } = prepareCredentialUses(connection);
    const part = { viewerId: 1, limit: 9, offset: 0 };
    const uses = (id: number) => read({ ids: [id], ...part }).items;
    expect(uses(7)).toEqual([{ workflowSlug: 'w1', nodeId: 'both' }]);
    expect(uses(8)).toEqual([{ workflowSlug: 'w1', nodeId: 'model' }]);
    connection.close();
  });
});
