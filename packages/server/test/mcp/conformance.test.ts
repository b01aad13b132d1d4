import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Remote } from '../support/remote.ts';
import { called, McpScene } from './mcp-scene.ts';

/**
 * The scenarios of the protocol's own suite for what the endpoint has: tools, and no prompts or resources. Each is a
 * process, so some run only with `npm run test:counterparts`.
 */
const scenarios = [
  ...['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  ...(process.env.COUNTERPARTS === 'all' ? ['tools-call-simple-text', 'tools-call-error', 'json-schema-2020-12'] : []),
];

/** The workflows that the suite expects as tools. */
async function addTools(scene: McpScene): Promise<void> {
  await scene.add('double', called('echo'));
  await scene.add('test_simple_text', {
    fields: { mcp: true },
    nodes: {
      begin: 'trigger_workflow',
      work: ['template', { template: 'This is a simple text response for testing.' }],
    },
    edges: 'begin -> work',
  });
  await scene.add('test_error_handling', called('fail'));
  await scene.add('json_schema_2020_12_tool', called('echo', { inputSchema: suiteSchema }));
}

const suiteSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

const root = join(import.meta.dirname, '../../../..');
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Passes requests on with a key, which the suite cannot send. */
async function keyed({ host, member }: McpScene): Promise<string> {
  const remote = await Remote.start();
  remote.answer = ({ method, url, headers }, response) => {
    const body = remote.received.at(-1)?.body;
    const authorization = `Bearer ${member.key}`;
    const onward = request(`http://${host}${url}`, { method, headers: { ...headers, authorization } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.end(body);
  };
  return `${remote.origin}/mcp`;
}

test.each(scenarios)("the protocol's own suite accepts the endpoint: %s", async (scenario) => {
  const scene = await McpScene.start();
  await addTools(scene);
  const args = [suite, 'server', '--url', await keyed(scene), '--scenario', scenario];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
});

test.each(['initialize', 'tools_call'])("the protocol's own suite accepts the client: %s", async (scenario) => {
  const program = join(import.meta.dirname, 'conformance-client.ts');
  const args = [suite, 'client', '--command', `${process.execPath} ${program}`, '--scenario', scenario];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(`${stdout}${stderr}`).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
});
