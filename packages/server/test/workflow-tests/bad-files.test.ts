import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testCommand } from '../../src/cli/test.ts';
import { readTestFile } from '../../src/workflow-tests/test-file.ts';
import { yamlBombs } from '../support/yaml-bombs.ts';
import { tested } from './tested-files.ts';

const ownBombs = new Map([
  ['unknown keys', `tests:\n${Array.from({ length: 20_000 }, (_, index) => `  k${index}: 1\n`).join('')}`],
  ['unknown keys of a test', `tests: [{${Array.from({ length: 20_000 }, (_, index) => `nam${index}: 1`).join(', ')}}]`],
  ['invalid tests', `tests: [${'1,'.repeat(40_000)}1]`],
  ['invalid recordings', `tests: [{http: [${'{a: b},'.repeat(15_000)}1]}]`],
  ['inline workflows', `tests: 1\nworkflows: [${'{a: {b: c}},'.repeat(6000)}1]`],
]);

const flow = 'name: Flow\nnodes: [{id: start, type: trigger_manual}]\n';
const one = 'workflow: flow.yaml\ntests: [{name: t, expect: {}}]\n';

/** The report on an invalid test file, without its name. */
async function rejection(text: string, workflow = flow): Promise<readonly string[]> {
  const { code, out, notes } = await tested({ 'flow.yaml': workflow, 'a.test.yaml': text });
  expect([code, out]).toEqual([2, ['a.test.yaml', '0 passed, 0 failed']]);
  return notes.flatMap((note) => note.replaceAll('a.test.yaml:', '').split('\n'));
}

describe('an invalid test file', () => {
  it('is rejected with all errors, each with its position', async () => {
    const text = `workflow: flow.yaml
workflwos: []
tests:
  - nam: t
    payload: {any: {thing: goes}}
    start_time: yesterday
    http:
      - request: {methd: GET, url: 7, headers: [a]}
        response: {status: 99}
    expect:
      status: complete
      path: start
      outputs: {a: 1}
      eror: {code: x}
  - 7
`;
    expect(await rejection(text)).toEqual([
      "2:1 Unknown key 'workflwos'. Did you mean 'workflow'?",
      '4:5 name: Field required',
      "4:5 Unknown key 'nam'. Did you mean 'name'?",
      '6:17 start_time: must be a date with or without a time, e.g. 2026-03-01T09:00:00Z',
      "8:19 Unknown key 'methd'. Did you mean 'method'?",
      '8:36 url: must be a text, or {contains: …} with a part of it',
      '8:48 headers: must be an object, not a list',
      '9:28 status: must be at least 200',
      expect.stringMatching(/^11:15 status: must be one of .*"completed"/),
      '12:13 path: must be a list of nodes, or {contains: …} with some of them',
      '13:20 a: must be an object, not a number',
      "14:7 Unknown key 'eror'. Did you mean 'error'?",
      '15:5 tests: must be an object, not a number',
    ]);
  });

  it.each([
    ['', '1:1 The text holds nothing.'],
    ['- a', '1:1 The file: must be an object, not a list'],
    ['workflow: flow.yaml\ntests: []', '2:8 tests: must have at least 1 item'],
    [one.replace('{}', '&a {}'), '2:27 Anchors (&name) are not allowed: write the value out.'],
    ['workflow: [', expect.stringMatching(/^1:12 This is not YAML/)],
    [
      'workflow: flow.yaml\ntests: [{name: t, expect: {}, http: [{request: {url: x}}]}]',
      "2:38 http: Give either 'response' or 'fails'.",
    ],
  ])('such as %j is reported with the error and its position', async (text, words) => {
    expect(await rejection(text)).toEqual([words]);
  });

  it('or an invalid workflow of it, does not prevent running the other files', async () => {
    const files = {
      'flow.yaml': flow,
      'a.test.yaml': 'tests: 7',
      'b.test.yaml': one.replace('flow.yaml', 'none.yaml'),
      'c.test.yaml': one,
    };
    const { code, out, notes } = await tested(files, [...Object.keys(files).slice(1), 'none.test.yaml']);
    expect([code, out.at(-1)]).toEqual([2, '1 passed, 0 failed']);
    expect(notes).toEqual([
      'a.test.yaml:1:1 workflow: must be the path of a file, or a workflow\na.test.yaml:1:8 tests: must be a list, not a number',
      'There is no file none.yaml.',
      'There is no file none.test.yaml.',
    ]);
  });

  it('is not read if it is not a regular file, or is too large', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-folder-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'a.test.yaml'));
    const notes: string[] = [];
    const quiet = {
      print: () => undefined,
      note: (line: string) => void notes.push(line),
      openTestRunner: () => Promise.reject(new Error('no test runs')),
    };
    await expect(testCommand.run({ words: [], options: {} }, quiet)).rejects.toThrow('Name at least one file.');
    expect(await rejection(`${one}# ${'x'.repeat(256 * 1024)}`)).toEqual(['a.test.yaml is larger than 256 KiB.']);
    expect((await tested({}, ['../../dev/zero'])).notes).toEqual([expect.stringMatching(/is not a file\.$/)]);
  });

  it.each([...yamlBombs, ...ownBombs])('however hostile, is processed quickly: %s', (_name, text) => {
    // CPU time, not elapsed time, so that other load on this machine does not count.
    const before = process.threadCpuUsage();
    expect(readTestFile(text)).toMatchObject({ issues: expect.anything() });
    const { user, system } = process.threadCpuUsage(before);
    // In microseconds. Four times the limit for a text in the service, because no other request waits here.
    expect(user + system).toBeLessThan(1_000_000);
  });
});

describe('a workflow with validation errors', () => {
  it('is not run: its errors are reported with their positions', async () => {
    const { code, notes } = await tested({
      'flows/flow.yaml': `${flow}edges: [start -> nowhere]\n`,
      'a.test.yaml': one.replace('flow.yaml', 'flows/flow.yaml'),
    });
    expect([code, notes]).toEqual([2, [expect.stringMatching(/^flows\/flow.yaml:3:9 .*nowhere/)]]);
  });

  it('has positions in the test file if it is included there', async () => {
    const inline = (edges: string) => `tests:
  - {name: t, expect: {}}
workflow:
  name: Flow
  nodes:
    - {id: start, type: trigger_manual}
    - {id: last, type: template, template: x}
  edges:
    - ${edges}
`;
    expect(await rejection(inline('start -> nowhere'))).toEqual([expect.stringMatching(/^9:7 .*nowhere/)]);
    expect((await tested({ 'a.test.yaml': inline('start -> last') })).code).toBe(0);
  });
});
