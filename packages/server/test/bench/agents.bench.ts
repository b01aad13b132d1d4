/**
 * What agents cost: `node agents.bench.ts [directory] [runs]`. The service is a process of its own with its data in the
 * directory; the model, which answers at once, and the load are in this process.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '@millrace/components';
import { applyFact, newRunState, planningRun, runThrough, standingEntries } from '@millrace/core';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { ServiceProcess } from '../durable/service-process.ts';
import { BenchModel } from './bench-model.ts';
import { EndedRuns } from './ended-runs.ts';

const [directory = tmpdir(), given = '300'] = process.argv.slice(2);
const runs = Number(given);
const agentsAtOnce = 200;
const waves = 3;
const rounds = 100;
const roundBytes = 5000;

const folder = mkdtempSync(join(directory, 'millrace-bench-'));
const model = await BenchModel.start();
const service = await ServiceProcess.start(folder);

console.log('| what | promised | reached |');
console.log('|---|---|---|');
try {
  await prepare();
  await measureOverhead();
  await measureStreaming();
  await measureRounds();
} finally {
  await service.stop();
  await model.close();
  rmSync(folder, { recursive: true });
}

async function called<Body>(method: string, path: string, body?: object): Promise<Body> {
  const answer = await service.call(method, `/api/v1/${path}`, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Body;
}

async function prepare(): Promise<void> {
  const detail = { base_url: `${model.url}/v1`, api_key: 'sk-a-key-of-the-benchmark' };
  await called('POST', 'credentials/', { name: 'Model', credential_type: 'llm', detail });
  const agent = (slug: string, tool: string, limits = '') => `name: ${slug}
slug: ${slug}
nodes:
  - {id: start, type: trigger_manual}
  - {id: ai, type: agent, input: Go on.${limits}}
  - {id: gpt, type: ai_model, model_name: small, credential: Model}
  - {id: tool, ${tool}}
edges: [start -> ai, gpt -llm-> ai, tool -tool-> ai]
`;
  const calc = 'type: calculator, tool: {name: calc}';
  const page = `type: http_request, url: "${model.url}/page", tool: {name: page}`;
  const texts = [
    agent('one', calc),
    agent('watched', calc),
    agent('many', page, ', max_steps: 200, budgets: {tool_calls: 200}'),
    'name: none\nslug: none\ntrigger: manual\nsteps:\n  - {id: say, type: template, template: Done.}\n',
  ];
  for (const yaml_str of texts) await called('POST', 'workflows/import/', { yaml_str });
}

interface Started {
  readonly execution_id: string;
  readonly status: string;
}

/** Runs a workflow and waits for its end. Returns the milliseconds. */
async function runOnce(slug: string): Promise<number> {
  const before = performance.now();
  const { status } = await called<Started>('POST', `workflows/${slug}/execute/`, { wait: true });
  if (status !== 'completed') throw new Error(`${slug}: ${status}`);
  return performance.now() - before;
}

/** A call of the model without the service. */
async function bareCall(made: number): Promise<number> {
  const before = performance.now();
  const messages = [
    { role: 'user', content: 'Go on.' },
    ...Array.from({ length: made }, () => ({ role: 'assistant' })),
  ];
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify({ model: 'small', messages }) };
  await (await fetch(`${model.url}/v1/chat/completions`, request)).json();
  return performance.now() - before;
}

/** One run after the other; the same number of each kind in turn, because the speed of a machine changes. */
async function measureOverhead(): Promise<void> {
  model.script = { rounds: 1, tool: 'calc', args: { expression: '6 * 7' }, pieces: 1, pauseMs: 0 };
  const times = { agent: [] as number[], none: [] as number[], bare: [] as number[] };
  for (let run = 0; run < 2 * runs; run += 1) {
    const one = {
      agent: await runOnce('one'),
      none: await runOnce('none'),
      bare: (await bareCall(0)) + (await bareCall(1)),
    };
    // The first half compiles the functions.
    if (run >= runs) for (const key of ['agent', 'none', 'bare'] as const) times[key].push(one[key]);
  }
  const [agent, none, bare] = [median(times.agent), median(times.none), median(times.bare)];
  print('an agent with one tool call, p50', '–', `${agent.toFixed(2)} ms`);
  print('two calls of the model without the service, p50', '–', `${bare.toFixed(2)} ms`);
  print('a run without an agent, p50', '–', `${none.toFixed(2)} ms`);
  print('overhead of the agent in a run, p50', '< 2 ms', `${(agent - none - bare).toFixed(2)} ms`);
}

/** Agents whose answers are streamed to a client, all at the same time. */
async function measureStreaming(): Promise<void> {
  model.script = { rounds: 1, tool: 'calc', args: { expression: '6 * 7' }, pieces: 20, pauseMs: 25 };
  const ends = await EndedRuns.subscribe(service.url, 'watched');
  const memory: number[] = [];
  const cpu: number[] = [];
  // The first wave compiles the functions.
  for (let wave = 0; wave <= waves; wave += 1) {
    const [before, calls] = [cpuMs(service.pid), model.calls];
    const ended = ends.next(agentsAtOnce);
    await Promise.all(Array.from({ length: agentsAtOnce }, () => called('POST', 'workflows/watched/execute/', {})));
    await ended;
    if (wave > 0) cpu.push((cpuMs(service.pid) - before) / (model.calls - calls));
    await new Promise((resolve) => setTimeout(resolve, 5000));
    if (wave > 0) memory.push(rssMb(service.pid));
  }
  ends.close();
  print(`streams at once`, `${agentsAtOnce}`, `${model.mostOpen}`);
  print('CPU of the service per model call, by wave', '< 1 ms', `${listed(cpu, 2)} ms`);
  print('RSS of the service after each wave', 'flat', `${listed(memory, 0)} MB`);
}

/** One agent with many results: what its journal takes, and how long it takes to read it again. */
async function measureRounds(): Promise<void> {
  model.script = { rounds, tool: 'page', args: {}, pieces: 1, pauseMs: 0 };
  model.page = 'x'.repeat(roundBytes);
  const before = performance.now();
  const { execution_id: id } = await called<Started>('POST', 'workflows/many/execute/', {});
  for (;;) {
    const { status, error_message: error } = await called<{ status: string; error_message: string | null }>(
      'GET',
      `executions/${id}/`,
    );
    if (status === 'completed') break;
    if (status === 'failed') throw new Error(String(error));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const ms = performance.now() - before;
  await service.stop();
  const { bytes, facts, foldMs } = await stored(id);
  print(`${rounds} rounds with results of ${roundBytes / 1000} kB`, '–', `${ms.toFixed(0)} ms, ${facts} facts`);
  print('their journal', '< 1.2 MB', `${(bytes / 1e6).toFixed(2)} MB`);
  print('fold of that journal, p50', '< 20 ms', `${foldMs.toFixed(1)} ms`);
}

async function stored(id: string): Promise<{ bytes: number; facts: number; foldMs: number }> {
  const store = openSqliteStore({ path: join(folder, 'millrace.db') });
  try {
    const execution = await store.executions.byId(id);
    if (execution === null) throw new Error('the execution is missing');
    const graph = await store.graphs.load(execution.workflowId);
    if (graph === null) throw new Error('the graph is missing');
    const plan = runThrough(planningRun({ graph, catalogue, triggerNodeId: 'start', toNodeId: null }));
    const times: number[] = [];
    let journal = await store.executions.journal({ id, lastSeq: Number.MAX_SAFE_INTEGER });
    for (let time = 0; time < 21; time += 1) {
      const before = performance.now();
      // With the reading of its rows, as after a restart.
      journal = await store.executions.journal({ id, lastSeq: Number.MAX_SAFE_INTEGER });
      const state = newRunState(plan, 0);
      for (const { fact } of standingEntries(journal)) applyFact(state, fact);
      times.push(performance.now() - before);
    }
    const bytes = journal.reduce((sum, { fact }) => sum + Buffer.byteLength(JSON.stringify(fact)), 0);
    return { bytes, facts: journal.length, foldMs: median(times) };
  } finally {
    await store.close();
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function listed(numbers: readonly number[], digits: number): string {
  return numbers.map((number) => number.toFixed(digits)).join(', ');
}

function print(what: string, promised: string, reached: string): void {
  console.log(`| ${what} | ${promised} | ${reached} |`);
}

/** CPU time of all threads of a process. Those that have ended are missing, and have done little. */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce(
    (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    0,
  );
}

function rssMb(pid: number): number {
  const [, kb = ''] = /^Rss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}
