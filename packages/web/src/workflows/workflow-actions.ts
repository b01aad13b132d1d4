import { exportedText } from '../api/text.ts';
import { changeWorkflow, importWorkflow, type Workflow, workflowDetail } from '../api/workflows.ts';
import { download } from '../values/download.ts';

/** A person who has made this many copies of one workflow renames them. */
const maxCopies = 1000;

/** The first slug of a copy that none of the slugs has. */
function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  for (let copy = 1; copy <= maxCopies; copy += 1) {
    const free = copy === 1 ? `${slug}-copy` : `${slug}-copy-${copy}`;
    if (!taken.has(free)) return free;
  }
  throw new Error(`There are ${maxCopies} copies of ${slug}.`);
}

/**
 * Creates a copy under another slug. It is inactive: its schedules and webhooks would do the work of the original a
 * second time.
 * @throws ApiError
 */
export async function duplicate({ slug, name, is_active: isActive }: Workflow, taken: ReadonlySet<string>) {
  const text = await exportedText(slug);
  const copy = freeSlug(slug, taken);
  await importWorkflow(isActive ? `${text}is_active: false\n` : text, copy);
  return changeWorkflow(copy, { name: `${name} (copy)` });
}

/** Saves a workflow as a YAML file. @throws ApiError */
export async function exportWorkflow({ slug }: Workflow): Promise<void> {
  download(`${slug}.yaml`, await exportedText(slug), 'application/yaml');
}

/** Saves workflows as one ZIP archive of YAML files. @throws ApiError */
export async function exportWorkflows(texts: ReadonlyMap<string, string>): Promise<void> {
  const { zipOf } = await import('./zip.ts');
  const files = [...texts].map(([slug, text]) => ({ name: `${slug}.yaml`, text }));
  download('workflows.zip', zipOf(files), 'application/zip');
}

/** Copies a command that calls the webhook of a workflow. @throws Error if it has none */
export async function copyWebhookCommand({ slug }: Workflow): Promise<void> {
  const [{ curlCommand, webhookCall }, { nodes }] = await Promise.all([
    import('../triggers/webhook-command.ts'),
    workflowDetail(slug),
  ]);
  const node = nodes.find(({ component_type: type }) => type === 'trigger_webhook');
  if (node === undefined) throw new Error('The workflow has no webhook.');
  const samples = (node.config.trigger_config as { samples?: { payload?: unknown }[] } | null)?.samples ?? [];
  const command = curlCommand(webhookCall(location.origin, slug, node), samples[0]?.payload ?? { name: 'Ada' });
  await navigator.clipboard.writeText(command);
}
