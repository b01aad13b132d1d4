import { join } from 'node:path';
import { newExecutionId } from '../../src/ground/ids.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';

/** The number of units in one commit, which are stored with one sync. */
const atOnce = 500;

/** Fills the history of a workflow while the service is stopped. */
export async function storeExecutions(dataDir: string, slug: string, count: number): Promise<void> {
  const store = openSqliteStore({ path: join(dataDir, 'millrace.db') });
  try {
    const workflow = await store.workflows.bySlug(slug);
    const graph = workflow && (await store.graphs.load(workflow.id));
    if (workflow === null || graph === null) throw new Error(`there is no workflow ${slug}`);
    for (let stored = 0; stored < count; stored += atOnce) {
      const at = Date.now();
      const ids = Array.from({ length: Math.min(atOnce, count - stored) }, () => newExecutionId(at));
      const run = {
        workflowId: workflow.id,
        version: graph.version,
        graph,
        triggerNodeId: 'hook',
        idempotency: null,
        at,
      };
      const trigger = { payload: { n: 0 }, text: '' };
      await Promise.all(ids.map((id) => store.executions.accept({ ...run, id, trigger })));
      await Promise.all(ids.map((id) => store.executions.cancel({ id, at })));
    }
  } finally {
    await store.close();
  }
}
