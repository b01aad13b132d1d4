import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionDetail } from '@millrace/contract';
import { expect, onTestFinished, test } from 'vitest';
import { draw, Outside, orders, prepared } from './order-agent.ts';
import { ServiceProcess } from './service-process.ts';

/** Two here; set RECORDING_KILLS for more. */
const kills = Number(process.env.RECORDING_KILLS ?? 2);
const firstSeed = Number(process.env.RECORDING_SEED ?? 1);

const count = '{id: end, type: run_command, command: count, args: ["-c"], input: "{{ ai.output }}"}';

interface Cassette {
  readonly http: readonly { readonly request: { readonly body: { readonly number: number } } }[];
  readonly models: readonly { readonly answer?: string; readonly calls?: readonly object[] }[];
  readonly commands: readonly { readonly stdout: string }[];
}

/** A service that is killed and started again on the same data. */
class Killed {
  readonly outside: Outside;
  readonly #start: () => Promise<ServiceProcess>;
  #service: ServiceProcess;

  private constructor(outside: Outside, start: () => Promise<ServiceProcess>, service: ServiceProcess) {
    this.outside = outside;
    this.#start = start;
    this.#service = service;
  }

  static async start(): Promise<Killed> {
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-recording-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const commands = join(dataDir, 'commands.json');
    // Not every machine that runs the tests has network namespaces.
    writeFileSync(commands, JSON.stringify({ count: { path: '/usr/bin/wc', options: ['-c'], network: true } }));
    const outside = await Outside.start();
    const start = () => ServiceProcess.start(dataDir, { MILLRACE_COMMANDS: commands });
    return new Killed(outside, start, await prepared(outside, start, count));
  }

  async begin(body: object): Promise<string> {
    const { status, body: answer } = await this.#service.call('POST', '/api/v1/workflows/orders/execute/', body);
    expect(status, JSON.stringify(answer)).toBe(200);
    return (answer as { execution_id: string }).execution_id;
  }

  async kill(): Promise<void> {
    await this.#service.kill();
  }

  async restart(): Promise<void> {
    this.#service = await this.#start();
  }

  async ended(id: string) {
    for (;;) {
      const { body } = await this.#service.call('GET', `/api/v1/executions/${id}/`);
      const detail = executionDetail.parse(body);
      if (detail.status !== 'pending' && detail.status !== 'running') return detail;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async cassette(id: string): Promise<Cassette> {
    const { status, body } = await this.#service.call('GET', `/api/v1/executions/${id}/cassette/`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body as Cassette;
  }

  async stop(): Promise<void> {
    await this.#service.stop();
  }
}

/** Kills the service at one request of a recorded run, before or a little after its answer. */
async function killedRecording(killed: Killed, seed: number): Promise<string> {
  const { outside } = killed;
  const at = 1 + draw(seed, 2 * orders);
  // After the answer, the exchange may be stored or not, and so may what follows from it.
  const afterMs = draw(seed * 31, 2) === 0 ? null : draw(seed * 17, 8);
  const done = new Promise<void>((resolve, reject) => {
    outside.onRequest = async () => {
      if (outside.requests.length !== at) return;
      const kill = () => killed.kill().then(resolve, reject);
      if (afterMs === null) await kill();
      else setTimeout(kill, afterMs);
    };
  });
  const id = await killed.begin({ payload: {}, record: true });
  await done;
  await killed.restart();
  return id;
}

test(
  'a recording has each exchange once after a kill, and a run that gets its answers, and is killed, ends in the same way',
  async () => {
    for (let seed = firstSeed; seed < firstSeed + kills; seed += 1) {
      const killed = await Killed.start();
      const id = await killedRecording(killed, seed);
      const first = await killed.ended(id);
      expect(first, `RECORDING_SEED=${seed}`).toMatchObject({
        status: 'completed',
        final_output: { stdout: '12\n' },
      });
      const { http, models, commands } = await killed.cassette(id);
      const numbers = http.map(({ request: { body } }) => body.number);
      expect(numbers, `RECORDING_SEED=${seed}`).toEqual(Array.from({ length: orders }, (_, index) => index));
      expect(models, `RECORDING_SEED=${seed}`).toHaveLength(orders + 1);
      expect(commands).toMatchObject([{ stdout: '12\n' }]);

      const before = killed.outside.requests.length;
      const again = await killed.begin({ payload: {}, cassette: id });
      await new Promise((resolve) => setTimeout(resolve, draw(seed * 13, 60)));
      await killed.kill();
      await killed.restart();
      const { status, final_output, logs } = await killed.ended(again);
      const outputs = (of: typeof logs) => of.map(({ node_id, frame, output }) => ({ node_id, frame, output }));
      // The command is not repeatable: killed while it is performed, its step is not performed again.
      const isKilledAtEnd = logs.at(-1)?.error_code === 'step_unknown';
      if (!isKilledAtEnd) {
        expect({ status, final_output }, `RECORDING_SEED=${seed}`).toEqual({
          status: 'completed',
          final_output: first.final_output,
        });
        expect(outputs(logs), `RECORDING_SEED=${seed}`).toEqual(outputs(first.logs));
      }
      expect(killed.outside.requests.length, `RECORDING_SEED=${seed}`).toBe(before);
      await killed.stop();
    }
  },
  60_000 * kills,
);
