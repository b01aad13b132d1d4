import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionDetail } from '@millrace/contract';
import { expect, onTestFinished, test } from 'vitest';
import { draw, Outside, orders, prepared } from './order-agent.ts';
import { ServiceProcess } from './service-process.ts';

/** Two here; `npm run test:agent-kills` makes a hundred. */
const kills = Number(process.env.AGENT_KILLS ?? 2);
const firstSeed = Number(process.env.AGENT_SEED ?? 1);

/** A command that notes the number of an order in a file. It takes a while before and after that. */
class Notes {
  readonly file: string;
  readonly commands: string;
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'notes');
    mkdirSync(this.#folder);
    this.file = join(this.#folder, 'notes.txt');
    this.commands = join(dataDir, 'commands.json');
    const script = join(dataDir, 'note.sh');
    writeFileSync(script, `#!/bin/sh\n/bin/sleep 0.01\necho "$1" >> '${this.file}'\n/bin/sleep 0.02\n`);
    chmodSync(script, 0o755);
    // Not every machine that runs the tests has network namespaces.
    writeFileSync(this.commands, JSON.stringify({ note: { path: script, network: true } }));
  }

  get lines(): readonly string[] {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8').trim().split('\n') : [];
  }

  /** Acts once, when there are so many notes. */
  whenThereAre(count: number, act: () => void): void {
    const watcher = watch(this.#folder, () => {
      if (this.lines.length < count) return;
      watcher.close();
      act();
    });
    onTestFinished(() => watcher.close());
  }
}

interface KilledRun {
  readonly outside: Outside;
  readonly notes: readonly string[];
  /** The errors of the calls of the command, by their codes. */
  readonly noteErrors: readonly (string | null | undefined)[];
}

/**
 * Kills the service at one request or note of a run, before or a little after its answer, and lets a new one finish the
 * run.
 */
async function killedRun(seed: number): Promise<KilledRun> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-agent-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const notes = new Notes(dataDir);
  const outside = await Outside.start({ takesNotes: true });
  const start = () => ServiceProcess.start(dataDir, { MILLRACE_COMMANDS: notes.commands });
  let service = await prepared(outside, start);
  const killed = killAt(seed, { outside, notes, kill: () => service.kill() });
  const started = await service.call('POST', '/api/v1/workflows/orders/execute/', { payload: {} });
  const { execution_id: id } = started.body as { execution_id: string };
  await killed;
  outside.kills = 1;
  service = await start();
  const detail = await ended(service, id);
  expect(detail, `AGENT_SEED=${seed}`).toMatchObject({ status: 'completed', final_output: 'All ordered.' });
  await service.stop();
  const ofNotes = detail.logs.filter(({ node_id, status }) => node_id === 'note' && status === 'failed');
  return { outside, notes: notes.lines, noteErrors: ofNotes.map(({ error_code }) => error_code) };
}

interface Killable {
  readonly outside: Outside;
  readonly notes: Notes;
  readonly kill: () => Promise<void>;
}

/** Kills at one of the requests, or of the notes, which the seed draws. Resolves when that is done. */
function killAt(seed: number, { outside, notes, kill }: Killable): Promise<void> {
  const at = 1 + draw(seed, 3 * orders);
  // After an answer its end may be stored or not; a command ends 20 ms after its note.
  const afterMs = draw(seed * 31, 2) === 0 ? null : draw(seed * 17, at > 2 * orders ? 40 : 8);
  return new Promise((resolve, reject) => {
    const act = () => void kill().then(resolve, reject);
    if (at > 2 * orders) {
      notes.whenThereAre(at - 2 * orders, () => setTimeout(act, afterMs ?? 0));
      return;
    }
    outside.onRequest = async () => {
      if (outside.requests.length !== at) return;
      if (afterMs !== null) setTimeout(act, afterMs);
      else await kill().then(resolve, reject);
    };
  });
}

async function ended(service: ServiceProcess, id: string) {
  for (;;) {
    const detail = executionDetail.parse((await service.call('GET', `/api/v1/executions/${id}/`)).body);
    if (detail.status !== 'pending' && detail.status !== 'running') return detail;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test(
  'an agent that is killed repeats at most the call that it was waiting for, keeps the Idempotency-Keys, and runs no command twice',
  async () => {
    let unknown = 0;
    for (let seed = firstSeed; seed < firstSeed + kills; seed += 1) {
      const about = `AGENT_SEED=${seed}`;
      const { outside, notes, noteErrors } = await killedRun(seed);
      const { requests } = outside;
      const before = requests.filter((request) => request.kills === 0);
      const after = requests.filter((request) => request.kills === 1);
      const lastPlace = before.at(-1)?.place ?? 0;
      // The calls follow one another, so what came before the last one had ended.
      expect(
        after.every(({ place }) => place >= lastPlace),
        about,
      ).toBe(true);
      expect(new Set(requests.map(({ place }) => place)).size, about).toBe(2 * orders + 1);
      expect(requests.length, about).toBeLessThanOrEqual(2 * orders + 2);
      const keys = new Set(requests.filter(({ key }) => key !== '').map(({ place, key }) => `${place} ${key}`));
      expect(keys.size, about).toBe(orders);
      // The command that was running may have acted or not; then the model gets that as an error.
      expect(new Set(notes).size, about).toBe(notes.length);
      expect(noteErrors.length, about).toBeLessThanOrEqual(1);
      expect(notes.length + noteErrors.length, about).toBeGreaterThanOrEqual(orders);
      expect(
        noteErrors.filter((code) => code !== 'step_unknown'),
        about,
      ).toEqual([]);
      unknown += noteErrors.length;
    }
    if (kills > 2)
      console.log(`${kills} kills: no command ran twice; it was unknown of ${unknown} whether they had run`);
  },
  60_000 * kills,
);
