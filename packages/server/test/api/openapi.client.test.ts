import { beforeAll, describe, expect, it } from 'vitest';
import { type OpenapiDocument, operationsOf } from '../support/openapi.ts';
import { compile, programOf, typesOf } from '../support/typed-client.ts';
import { WholeApp } from '../support/whole-app.ts';

let document: OpenapiDocument;
let types: string;

beforeAll(async () => {
  const whole = await WholeApp.start();
  document = await whole.document();
  types = await typesOf(document);
  await whole.close();
});

describe('the types that openapi-typescript generates', () => {
  it('let a strict client call every operation with its examples and read its answer', () => {
    const program = programOf(document);
    for (const { raw } of operationsOf(document)) expect(program).toContain(`call('${raw.operationId}'`);
    expect(compile(types, program)).toEqual([]);
  });

  it('detect a wrong path parameter, a missing field, a wrong value and a wrong answer', () => {
    const program = `import type { components } from './api';
import { call } from './client';
await call('getWorkflow', { path: { slag: 'orders' } });
await call('createWorkflow', { body: { name: 'Orders' } });
await call('createEdge', { path: { slug: 'orders' }, body: { source_node_id: 'a', target_node_id: 'b', edge_type: 'x' } });
(await call('getEdge', { path: { slug: 'orders', edge_id: 1 } }));
(await call('listEdges', { path: { slug: 'orders' } })) satisfies components['schemas']['NodeList'];
`;
    const lines = compile(types, program).map((found) => /\((\d+)\)/.exec(found)?.[1]);
    expect([...new Set(lines)].sort()).toEqual(['3', '4', '5', '6', '7']);
  });
});
