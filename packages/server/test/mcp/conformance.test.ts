import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Remote } from '../support/remote.ts';
import { called, McpScene } from './mcp-scene.ts';

/** The scenarios of the protocol's own suite that need no tools, prompts or resources of its own. */
const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

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
  await scene.add('double', called('echo'));
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
