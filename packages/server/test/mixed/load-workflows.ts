import { LoadClient, type LoadTarget } from './load-client.ts';

/** Workflows that are edited, each followed by subscribers. */
export const editedWorkflows = 20;

const hook = (slug: string, mode: string): string => `name: ${slug}
slug: ${slug}
nodes:
  - {id: hook, type: trigger_webhook, response_mode: ${mode}}
  - {id: double, type: transform, fields: {doubled: "{{ trigger.payload.n * 2 }}"}}
  - {id: answer, type: respond}
edges: [hook -> double, double -> answer]
`;

const large = `name: large
slug: mixed-large
nodes:
  - {id: hook, type: trigger_webhook}
  - {id: rows, type: transform, fields: {rows: "{{ trigger.payload.rows }}", count: "{{ trigger.payload.rows | length }}"}}
edges: [hook -> rows]
`;

const chat = `name: chat
slug: mixed-chat
nodes:
  - {id: start, type: trigger_chat}
  - {id: say, type: template, template: "You said {{ trigger.text }}"}
edges: [start -> say]
`;

const edited = (index: number): string => `name: edited ${index}
slug: mixed-edit-${index}
nodes:
  - {id: text, type: template, template: "first"}
`;

/** Creates the workflows of the load. */
export async function createWorkflows(target: LoadTarget): Promise<void> {
  const client = new LoadClient(target);
  const texts = [hook('mixed-hook', 'immediately'), hook('mixed-answer', 'respond_node'), large, chat];
  for (let index = 0; index < editedWorkflows; index += 1) texts.push(edited(index));
  for (const yaml_str of texts) {
    const { status, body } = await client.call('POST', '/api/v1/workflows/import/', JSON.stringify({ yaml_str }));
    if (status !== 201) throw new Error(`${status}: ${body}`);
  }
  client.end();
}
