import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '@millrace/components';
import type { OutboundRequest, OutboundResponse } from '@millrace/core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { startRunning } from '../support/running.ts';
import { eras, textOf } from './mcp-scene.ts';

const example = readFileSync(join(import.meta.dirname, '../../../../examples/customer-tool.yaml'), 'utf8');

/** The CRM of the example: it knows one customer. */
async function crm({ url }: OutboundRequest): Promise<OutboundResponse> {
  const isKnown = url === 'https://crm.example/customers/7';
  const text = isKnown ? '{"name":"Ada","tier":"gold","email":"ada@crm.example"}' : '{}';
  const body = { size: text.length, text: () => text, base64: () => '' };
  return { url, isFromHome: true, status: isKnown ? 200 : 404, headers: { 'content-type': 'application/json' }, body };
}

test.each(eras)('a client of the %s revision calls the example workflow as a tool', async (era) => {
  const running = await startRunning({ catalogue, http: crm });
  const person = await running.addPerson('member');
  await person.post('/api/v1/workflows/import/', { yaml_str: example });
  await person.post('/api/v1/workflows/customer-tool/variables/', { name: 'crm_url', value: 'https://crm.example' });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  const requestInit = { headers: { authorization: `Bearer ${person.key}` } };
  const url = new URL(`http://${await running.listen()}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.at(-1)).toMatchObject({
    name: 'customer-tool',
    description: 'Finds a customer by number. Returns the name and the tier.',
    inputSchema: { required: ['customer'] },
  });
  const call = (args: Record<string, unknown>) => client.callTool({ name: 'customer-tool', arguments: args });
  expect(textOf(await call({ customer: 7 }))).toBe('Ada is a gold customer.');
  const unknown = await call({ customer: 9 });
  expect([unknown.isError, textOf(unknown)]).toEqual([true, expect.stringContaining('http_status')]);
  const wrong = await call({ customer: 'Ada' });
  expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining('customer')]);
});
