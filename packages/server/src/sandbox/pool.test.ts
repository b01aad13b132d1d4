import { Meter, runThrough, type SlicedWork, StepError } from '@millrace/core';
import { expect, it, onTestFinished } from 'vitest';
import { VirtualTime } from '../ground/virtual-time.ts';
import { NoEngine } from './launch.ts';
import { endingOf, returned, testSandbox } from './sandbox.testkit.ts';
import type { SandboxParts } from './sandbox.ts';

/** A replacement for the sandbox process that runs this for each request. It is `ready` unless it reports otherwise. */
function fakeProcess(onLine: string, atStart = 'say("ready")'): Partial<SandboxParts> {
  const program = `
    const say = (line) => process.stdout.write(line + "\\n");
    const answer = (value) => say(JSON.stringify({ kind: "value", text: JSON.stringify(value) }));
    let lines = 0;
    const serve = (line) => { ${onLine} };
    // A request has two lines.
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      lines += 1;
      if (lines % 2 === 0) serve(line);
    });
    ${atStart};`;
  return { launch: async () => ({ command: [process.execPath, '-e', program], missing: [] }) };
}

function sandboxWith(parts: Partial<SandboxParts>) {
  const sandbox = testSandbox(parts);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const reportPid = fakeProcess('answer(process.pid)');

it('keeps a process for the next script of the same workflow', async () => {
  const sandbox = sandboxWith(reportPid);
  const first = await returned(sandbox, '');
  expect(await returned(sandbox, '')).toBe(first);
});

it('never lets a process serve two workflows', async () => {
  const sandbox = sandboxWith(reportPid);
  const pids = new Map<number, Set<unknown>>();
  const jobs = Array.from({ length: 30 }, async (_, index) => {
    const workflowId = index % 5;
    const pid = await returned(sandbox, '', { workflowId });
    pids.set(workflowId, (pids.get(workflowId) ?? new Set()).add(pid));
  });
  await Promise.all(jobs);
  const all = [...pids.values()].flatMap((set) => [...set]);
  expect(new Set(all).size).toBe(all.length);
});

it('ends a process when its workflow has not used it for a minute', async () => {
  const time = new VirtualTime();
  const sandbox = sandboxWith({ ...reportPid, timers: time.timers });
  const first = await returned(sandbox, '');
  time.advance(59_000);
  expect(await returned(sandbox, '')).toBe(first);
  time.advance(60_001);
  expect(await returned(sandbox, '')).not.toBe(first);
});

it('runs scripts in order, up to the limit at a time', async () => {
  const order: number[] = [];
  const sandbox = sandboxWith({ ...fakeProcess('setTimeout(() => answer(1), 20)'), processes: 1 });
  await Promise.all([1, 2, 3, 4].map((n) => returned(sandbox, '').then(() => order.push(n))));
  expect(order).toEqual([1, 2, 3, 4]);
});

it('lets the owners of workflows take turns', async () => {
  const order: number[] = [];
  const sandbox = sandboxWith({ ...fakeProcess('answer(1)'), processes: 1 });
  const run = (ownerId: number, workflowId: number) =>
    returned(sandbox, '', { ownerId, workflowId }).then(() => order.push(ownerId));
  await Promise.all([...[1, 2, 3, 4, 5].map((workflowId) => run(1, workflowId)), run(2, 6)]);
  expect(order.indexOf(2)).toBeLessThan(3);
});

it('writes the values of a script when its turn comes, and rejects scripts when 10,000 wait, or 5,000 of one owner', async () => {
  const sandbox = sandboxWith({ ...fakeProcess(''), processes: 1, limits: { seconds: 60, memoryMb: 64 } });
  let written = 0;
  const inSlices = <T>(work: SlicedWork<T>): T => {
    written += 1;
    return runThrough(work);
  };
  const stop = new AbortController();
  const script = { language: 'javascript', source: '', scope: { input: 'value' } } as const;
  const attempt = { workflowId: 1, signal: stop.signal, meter: new Meter(() => 0), inSlices };
  const run = (ownerId: number) => sandbox.run(script, { ...attempt, ownerId }).catch((error: unknown) => error);
  const tooMany = (count: number) => ({
    code: 'code_unavailable',
    retryable: true,
    message: expect.stringContaining(`${count} scripts wait`),
  });
  const endings = Array.from({ length: 5_001 }, () => run(1));
  expect(await run(1)).toMatchObject(tooMany(5_000));
  endings.push(...Array.from({ length: 5_000 }, (_, index) => run(2 + (index % 2))));
  expect(await run(4)).toMatchObject(tooMany(10_000));
  expect(written).toBeLessThanOrEqual(1);
  stop.abort();
  expect((await Promise.all(endings)).every((error) => error instanceof StepError)).toBe(true);
});

it('does not block the event loop while a script computes', async () => {
  const sandbox = sandboxWith({});
  // From here on a process is ready, so the next script starts at once.
  await returned(sandbox, 'return 1');
  const stop = new AbortController();
  const ending = endingOf(sandbox, 'for (;;);', { signal: stop.signal });
  // If the script blocked the event loop, it would reach its time limit before the end of these turns.
  for (let turn = 0; turn < 10_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  expect(await ending).toMatchObject({ message: 'The code was stopped.' });
});

it('ends a running or waiting script at once when its step ends', async () => {
  const sandbox = sandboxWith({ ...fakeProcess(''), processes: 1, limits: { seconds: 60, memoryMb: 64 } });
  const running = new AbortController();
  const waiting = new AbortController();
  const endings = [running, waiting].map(({ signal }) => endingOf(sandbox, '', { signal }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  waiting.abort();
  expect(await endings[1]).toMatchObject({ message: 'The code was stopped.' });
  running.abort();
  expect(await endings[0]).toMatchObject({ message: 'The code was stopped.' });
  expect(await endingOf(sandbox, '', { signal: running.signal })).toMatchObject({ message: 'The code was stopped.' });
});

it.each([
  ['says what is no answer', 'say("{")', 'code_error'],
  ['says another answer', 'say(JSON.stringify({ kind: "value", text: "1", more: 1 }))', 'code_error'],
  ['says a value that is no JSON', 'say(JSON.stringify({ kind: "value", text: "{" }))', 'code_output'],
  [
    'nests its value without end',
    'say(JSON.stringify({ kind: "value", text: "[".repeat(9000) + "]".repeat(9000) }))',
    'code_output',
  ],
  ['talks without end', 'setInterval(() => process.stdout.write("x".repeat(1e5)))', 'code_error'],
  [
    'keeps too many lines',
    'say(JSON.stringify({ kind: "value", text: "1", lines: Array(999).fill("x") }))',
    'code_error',
  ],
  [
    'sends values that take long to parse',
    'say("{\\"kind\\":\\"value\\",\\"more\\":[" + "{},".repeat(1000) + "1]}")',
    'code_error',
  ],
  ['dies', 'process.abort()', 'code_memory'],
])('does not trust a process that %s', async (_, onLine, code) => {
  const sandbox = sandboxWith(fakeProcess(onLine));
  expect(await endingOf(sandbox, '')).toMatchObject({ code });
  expect(await endingOf(sandbox, '')).toMatchObject({ code });
});

it('ends a process that sends something without a request', async () => {
  const sandbox = sandboxWith(fakeProcess('answer(process.pid); setTimeout(() => answer("unasked"), 30)'));
  const first = await returned(sandbox, '');
  while (isAlive(Number(first))) await new Promise((resolve) => setTimeout(resolve, 10));
  expect([first, 'unasked']).not.toContain(await returned(sandbox, ''));
});

it('reports that code cannot run if there is no engine for the machine', async () => {
  const launch = () =>
    Promise.reject(new NoEngine('Its engine has no binary for plan9-mips and this version of Node.'));
  expect(await endingOf(sandboxWith({ launch }), 'return 1')).toEqual({
    code: 'code_unavailable',
    message:
      'Code cannot run here: the sandbox cannot start. Its engine has no binary for plan9-mips and this version of Node.',
  });
});

it.each([
  ['the program is missing', ['/nowhere/node']],
  ['it ends at once', [process.execPath, '-e', '0']],
  ['it says something else', [process.execPath, '-e', 'console.log("hello")']],
])('reports that the sandbox cannot start if %s, and logs why', async (_, command) => {
  const warnings: unknown[] = [];
  const log = { warn: (...words: unknown[]) => void warnings.push(words) } as unknown as SandboxParts['log'];
  const sandbox = sandboxWith({ launch: async () => ({ command, missing: [] }), log });
  expect(await endingOf(sandbox, 'return 1')).toMatchObject({
    code: 'code_unavailable',
    message: expect.stringContaining('cannot start'),
  });
  expect(warnings.length).toBeGreaterThan(0);
});

it('logs once which protections a machine lacks', async () => {
  const warnings: unknown[] = [];
  const log = { warn: (words: unknown) => void warnings.push(words) } as unknown as SandboxParts['log'];
  const { launch } = reportPid;
  const sandbox = sandboxWith({
    log,
    launch: async (limits) => ({ command: [], ...(await launch?.(limits)), missing: ['namespaces'] }),
  });
  await returned(sandbox, '');
  await returned(sandbox, '');
  expect(warnings).toEqual([{ missing: ['namespaces'] }]);
});
