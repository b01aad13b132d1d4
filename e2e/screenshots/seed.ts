import { setTimeout as delay } from 'node:timers/promises';
import { generatedGraph } from '../../bench/web/generated-graph.ts';
import { modelKey } from '../harness/model-provider.ts';
import type { Stage } from '../harness/stage.ts';
import { campaign, chat, invoice, manyNames, morningReport, supportDesk } from './texts.ts';

/** The addresses of what the screenshots show. */
export interface Seeded {
  readonly failedRun: string;
  readonly question: string;
}

/** A run takes less than a second; a busy machine takes longer. */
const tryAfterMs = 100;
const mostTries = 200;

/** The same data for every screenshot: workflows, runs of each status, a question to a person. */
export async function seed({ service, model }: Stage, site: string): Promise<Seeded> {
  const post = <T>(path: string, body: object): Promise<T> => service.call<T>(path, { method: 'POST', body });
  const create = (text: string) => post<{ slug: string }>('workflows/import/', { yaml_str: text });
  const run = async (slug: string, payload: object): Promise<string> => {
    const { execution_id: id } = await post<{ execution_id: string }>(`workflows/${slug}/execute/`, { payload });
    return id;
  };
  const end = async (id: string): Promise<string> => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const { status } = await service.call<{ status: string }>(`executions/${id}/`);
      if (!['pending', 'running', 'waiting'].includes(status)) return id;
      await delay(tryAfterMs);
    }
    throw new Error(`The execution ${id} does not end.`);
  };
  const detail = { provider_type: 'provider_a_compatible', base_url: model.url, api_key: modelKey };
  await post('credentials/', { name: 'Model provider', credential_type: 'llm', detail });
  for (const [index, name] of manyNames.entries()) {
    const tag = ['finance', 'support', 'reports', 'ops'][index % 4];
    const template = index % 7 === 3 ? '{{ trigger.payload.missing }}' : 'Done';
    const { slug } = await create(
      `name: ${name}\ntags: [${tag}]\ntrigger: manual\nsteps:\n  - {id: work, type: template, template: "${template}"}\n`,
    );
    for (let count = 0; count < index % 5; count += 1) await run(slug, {});
  }
  await create(generatedGraph('Thousand nodes', 1000, { seed: 7 }));
  await create(chat);
  await create(supportDesk);
  await create(campaign);
  await create(morningReport(site));
  const { slug } = await create(invoice);
  const lines = [
    { name: 'Pen', price: 3 },
    { name: 'Book', price: 10 },
  ];
  const good = await run(slug, { number: 10481, total: 84.5, lines, customer: { name: 'Ada Lovelace' } });
  await end(good);
  const failedRun = await run(slug, { number: 10482, total: 12, lines });
  await end(failedRun);
  await end(await run(slug, { number: 10483, total: 31.9, lines, customer: { name: 'Grace Hopper' } }));
  const refund =
    'name: Refunds\ntags: [finance]\ntrigger: manual\nsteps:\n  - {id: approve, type: human_confirmation, prompt: "Refund EUR 84.50 for order 10482?"}\n';
  const question = await run((await create(refund)).slug, {});
  await end(question);
  return { failedRun, question };
}
