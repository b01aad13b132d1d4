import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionDetail, executionList, factList, personList } from '@millrace/contract';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceProcess } from './service-process.ts';

const runs = 40;

/** Each run identifies a person of its own, and stores two facts that have no key. */
const workflow = `name: Notes
slug: notes
nodes:
  - {id: start, type: trigger_manual}
  - {id: person, type: identify_user, channel: test, external_id: '{{ trigger.payload.n }}'}
  - {id: first, type: memory_write, value: 'word of {{ run.id }}'}
  - {id: second, type: memory_write, value: 'word of {{ run.id }}'}
edges: [start -> person, person -> first, first -> second]
`;

/** Starts all runs, and kills the service when some of them have been accepted. Returns their ids. */
async function killedRuns(service: ServiceProcess, after: number): Promise<readonly string[]> {
  const accepted: string[] = [];
  const start = async (n: number): Promise<void> => {
    const { body } = await service.call('POST', '/api/v1/workflows/notes/execute/', { payload: { n } });
    accepted.push((body as { execution_id: string }).execution_id);
    if (accepted.length === after) await service.kill();
  };
  // The requests that the kill interrupts fail.
  await Promise.allSettled(Array.from({ length: runs }, (_none, n) => start(n)));
  return accepted;
}

test.each([1, 20])('a crash after %s runs repeats no fact and stores no person twice', async (after) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-memory-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  let service = await ServiceProcess.start(dataDir);
  await service.call('POST', '/api/v1/workflows/import/', { yaml_str: workflow });
  const accepted = await killedRuns(service, after);
  service = await ServiceProcess.start(dataDir);
  onTestFinished(async () => void (await service.stop()));
  const read = async (path: string) => (await service.call('GET', path)).body;
  await expect
    .poll(async () => executionList.parse(await read('/api/v1/executions/?limit=1000&status=completed')).total, {
      timeout: 60_000,
    })
    .toBe(executionList.parse(await read('/api/v1/executions/?limit=1000')).total);
  const { items } = executionList.parse(await read('/api/v1/executions/?limit=1000'));
  const ids = items.map(({ execution_id: id }) => id);
  expect(ids).toEqual(expect.arrayContaining([...accepted]));
  const facts = factList.parse(await read('/api/v1/memory/facts/?workflow_slug=notes&limit=1000'));
  expect(facts.items.map(({ value }) => value).sort()).toEqual(
    ids.flatMap((id) => [`word of ${id}`, `word of ${id}`]).sort(),
  );
  expect(factList.parse(await read('/api/v1/memory/facts/?workflow_slug=notes&q=word')).total).toBe(facts.total);
  expect(personList.parse(await read('/api/v1/memory/people/')).total).toBe(ids.length);
  for (const id of ids) {
    const { logs } = executionDetail.parse(await read(`/api/v1/executions/${id}/`));
    expect(logs.find(({ node_id }) => node_id === 'person')?.output).toMatchObject({ is_new: true });
  }
});
