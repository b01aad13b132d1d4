import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WholeApp } from '../matrix/whole-app.ts';
import { apiOf } from '../support/api.ts';
import { counted, reached } from '../support/reached.ts';

/** Two hundred here; `npm run promises -- --release` sends 2,000. */
const inputs = Number(process.env.BUILT_IN_INPUTS ?? 200);

/** The names of everything that scripts share, with the number of properties of each. */
function builtIns(): Record<string, readonly string[]> {
  const shared = {
    Object,
    Array,
    Function,
    String,
    Number,
    RegExp,
    Promise,
    Map,
    Set,
    Date,
    Error,
    JSON,
    Math,
    Reflect,
  };
  const own = (value: object) => Reflect.ownKeys(value).map(String).sort();
  return Object.fromEntries(
    Object.entries(shared).flatMap(([name, value]) => [
      [name, own(value)],
      [`${name}.prototype`, own('prototype' in value ? (value.prototype as object) : {})],
    ]),
  );
}

const app = await WholeApp.start();
let api: ReturnType<typeof apiOf>;
beforeAll(async () => {
  api = apiOf(app.server, (await app.addKey(await app.addUser('author'))).key);
  await api.post('/api/v1/workflows/', { name: 'Target', slug: 'target' });
  const hook = { node_id: 'hook', component_type: 'trigger_webhook', config: {} };
  expect((await api.post('/api/v1/workflows/target/nodes/', hook)).status).toBe(201);
});
afterAll(() => app.close());

const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'polluted'];
const name = fc.constantFrom(...names);
const path = fc.array(name, { minLength: 1, maxLength: 4 });

/** JSON text whose objects have these names, one inside the other. A literal would set the prototype instead. */
const nested = (parts: readonly string[]): string =>
  parts.reduceRight((inside, part) => `{"${part}":${inside}}`, '{"polluted":true}');

/** The ways in which a name reaches the service. */
const ways: readonly ((parts: readonly string[]) => Promise<unknown>)[] = [
  (parts) => send('PATCH', '/api/v1/workflows/target/', nested(parts)),
  (parts) => send('POST', '/api/v1/webhooks/target', nested(parts)),
  (parts) => send('POST', `/api/v1/webhooks/target?${parts.join('[')}=1&${parts[0]}=2`, '{}'),
  (parts) => send('POST', '/api/v1/webhooks/target', `${parts.join('.')}=1&${parts[0]}[polluted]=1`, formType),
  (parts) => send('POST', '/api/v1/workflows/validate-dsl/', JSON.stringify({ yaml_str: `${parts.join(':\n ')}: 1` })),
  (parts) => send('POST', '/api/v1/workflows/validate-dsl/', JSON.stringify({ yaml_str: `<<: ${nested(parts)}` })),
  (parts) =>
    send(
      'POST',
      '/api/v1/expressions/evaluate/',
      JSON.stringify({ slug: 'target', expression: `{{ trigger.payload.${parts.join('.')} }}` }),
    ),
  (parts) =>
    send(
      'POST',
      '/api/v1/workflows/target/nodes/',
      `{"component_type":"transform","config":{"extra_config":${nested(parts)}}}`,
    ),
  (parts) => send('POST', '/api/v1/variables/', `{"name":"${parts[0]}","value":${nested(parts)}}`),
  (parts) => send('POST', '/api/v1/workflows/target/execute/', `{"payload":${nested(parts)}}`),
];
const formType = 'application/x-www-form-urlencoded';

async function send(
  method: 'POST' | 'PATCH',
  url: string,
  payload: string,
  type = 'application/json',
): Promise<number> {
  const { status } = await api.inject({ method, url, payload, headers: { 'content-type': type } });
  return status;
}

test('no name in any input changes the built-in objects', async () => {
  const before = builtIns();
  const statuses = new Map<unknown, number>();
  await fc.assert(
    fc.asyncProperty(path, fc.nat(ways.length - 1), async (parts, index) => {
      const status = await ways[index]?.(parts);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status).not.toBeGreaterThanOrEqual(500);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect({}).not.toHaveProperty('polluted');
    }),
    { numRuns: inputs },
  );
  expect(builtIns()).toEqual(before);
  // Some are accepted and some rejected; otherwise the inputs would show little.
  expect(statuses.get(200)).toBeGreaterThan(inputs / 20);
  reached('P20', `${counted(inputs)} inputs in ${ways.length} ways, 0 changed`);
});
