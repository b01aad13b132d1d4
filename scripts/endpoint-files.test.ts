import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/**
 * Names that exist only because of one endpoint, `GET /api/v1/credentials/{credential_id}/usage/`: its operation, path,
 * schema, presenter, use case and requirements.
 */
const names =
  /\blistCredentialUses\b|credential_id\/usage\/|\}\/usage\/`|\bcredentialUseList\b|\bpresentCredentialUses\b|\buses: \(id, page\)|\bcredentials\.usage\b/;

/**
 * Written files, neither generated nor of the store, whose methods have their own line in the table. The web app is left
 * out: it calls endpoints, and no endpoint needs it.
 */
const sources = globSync('{packages/*/{src,test},scripts}/**/*.{ts,mjs,cjs}', {
  cwd: root,
  exclude: [
    'packages/server/src/store/**',
    'packages/web/**',
    'packages/client/src/schema.d.ts',
    'scripts/endpoint-files.test.ts',
  ],
});

describe('an endpoint', () => {
  const files = sources.filter((file) => names.test(readFileSync(join(root, file), 'utf8')));

  test('has its names in a schema, the index of the contract, a use case, a route and its test, and nowhere else', () => {
    expect(files.sort()).toEqual([
      'packages/contract/src/credentials/credential-use.ts',
      'packages/contract/src/index.ts',
      'packages/server/src/http/routes/credentials/credentials.ts',
      'packages/server/src/services/credentials/credentials.ts',
      'packages/server/test/api/credentials.usage.test.ts',
    ]);
  });

  test('takes as many files as docs/architecture.md states', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    expect(page).toContain(`| an endpoint | ${files.length} |`);
  });
});
