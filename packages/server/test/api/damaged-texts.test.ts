import { join } from 'node:path';
import { executeAnswer, executionDetail, workflow } from '@millrace/contract';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Installation } from '../support/installation.ts';

const root = '/api/v1';

interface Scene {
  readonly installation: Installation;
  readonly ended: string;
  readonly asking: string;
  readonly db: Database.Database;
}

/** One of each stored object, and one more that is not damaged. */
async function open(): Promise<Scene> {
  const installation = await Installation.start();
  const { api } = installation;
  const post = async (path: string, body: object) => {
    const answer = await api.post(`${root}${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const schema = { type: 'object' };
  for (const slug of ['first', 'second', 'gone', 'whole']) {
    await post('/workflows/', { name: slug, slug, tags: ['t'], input_schema: schema, output_schema: schema });
    await post(`/workflows/${slug}/nodes/`, { node_id: 'start', component_type: 'trigger_manual' });
  }
  await post('/workflows/second/nodes/', { node_id: 'chat', component_type: 'trigger_chat' });
  await post('/workflows/second/nodes/', {
    node_id: 'clock',
    component_type: 'trigger_schedule',
    config: { extra_config: { interval_seconds: 3600 } },
  });
  const asks = { node_id: 'ask', component_type: 'human_confirmation', config: { extra_config: { prompt: 'Well?' } } };
  await post('/workflows/first/nodes/', asks);
  await post('/workflows/first/edges/', { source_node_id: 'start', target_node_id: 'ask' });
  await post('/users/', { username: 'ann', password: 'a long password' });
  await post('/workflows/first/collaborators/', { username: 'ann', role: 'viewer' });
  await post('/users/me/keys/', { name: 'k' });
  await post('/credentials/', { name: 'c', credential_type: 'tool', detail: {} });
  await post('/workflows/batch-delete/', { slugs: ['gone'] });
  const run = async (slug: string) =>
    executeAnswer.parse(await post(`/workflows/${slug}/execute/`, { payload: { n: 1 }, wait: slug === 'second' }));
  const ended = (await run('second')).execution_id;
  await post('/workflows/second/chat/', { text: 'Hello', trigger_node_id: 'chat' });
  const asking = (await run('first')).execution_id;
  await expect
    .poll(async () => executionDetail.parse((await api.get(`${root}/executions/${asking}/`)).body).waits)
    .toMatchObject([{ kind: 'approval', prompt: 'Well?' }]);
  const db = new Database(join(installation.folder, 'millrace.db'));
  db.pragma('foreign_keys = OFF');
  return { installation, ended, asking, db };
}

/** Columns that SQLite itself constrains, or that identify the object: another text makes it another object. */
const named = /(^|_)(id|key|hash|slug|username)$|^(status|state|stage|frame|claimed_by|gate|blocked_on|fires)$/;

interface Column {
  readonly table: string;
  readonly column: string;
}

function textColumns(db: Database.Database): readonly Column[] {
  return db
    .prepare<[], Column>(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
       WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name NOT IN ('migrations', 'secret_keys')`,
    )
    .all()
    .filter(({ column }) => !named.test(column));
}

const lists = [
  '/workflows/',
  '/trash/',
  '/executions/',
  '/executions/?q=hello',
  '/executions/?status=interrupted',
  '/credentials/',
  '/users/',
  '/users/me/keys/',
  '/workflows/first/versions/',
  '/workflows/first/collaborators/',
  '/workflows/first/edges/',
  '/workflows/second/chat/history/',
];

/** Writes a text into a column of every row, runs `ask`, and restores the old values. */
async function whileDamaged(
  db: Database.Database,
  { table, column, text }: Column & { readonly text: string },
  ask: () => Promise<void>,
): Promise<void> {
  const primary = db.prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0`).all();
  const keys = primary.length > 0 ? primary : [{ name: 'rowid' }];
  const where = keys.map(({ name }) => `"${name}" = ?`).join(' AND ');
  const rows = db
    .prepare<[], Record<string, unknown>>(
      `SELECT ${primary.length > 0 ? '' : 'rowid, '}* FROM "${table}" WHERE "${column}" IS NOT NULL`,
    )
    .all();
  const write = db.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE ${where}`);
  const writeAll = (value: (row: Record<string, unknown>) => unknown) => {
    for (const row of rows) write.run(value(row), ...keys.map(({ name }) => row[name]));
  };
  writeAll(() => text);
  try {
    await ask();
  } finally {
    writeAll((row) => row[column]);
  }
}

test('whichever stored text is damaged, lists are answered, and other requests get a clear error', async () => {
  const { installation, ended, asking, db } = await open();
  const { api } = installation;
  const objects = [
    `/executions/${ended}/`,
    `/executions/${asking}/`,
    '/workflows/whole/',
    '/workflows/first/',
    '/workflows/second/nodes/',
    '/workflows/first/versions/1/',
    '/workflows/first/versions/3/',
  ];
  const columns = textColumns(db);
  // At least this many columns contain JSON or times; fewer would mean that the schema was not read correctly.
  expect(columns.length).toBeGreaterThan(40);
  const failed: string[] = [];
  for (const { table, column } of columns) {
    // The index over a node's config rejects invalid JSON, so this column can only contain valid JSON of the wrong
    // shape.
    const text = table === 'nodes' && column === 'config' ? '[]' : '{';
    await whileDamaged(db, { table, column, text }, async () => {
      for (const path of [...lists, ...objects]) {
        const { status, text: answer } = await api.get(`${root}${path}`);
        const isFine = status === 200 || (objects.includes(path) && status === 503 && answer.includes('is damaged'));
        if (!isFine) failed.push(`${table}.${column}: ${path} ${status} ${answer.slice(0, 100)}`);
      }
    });
  }
  db.close();
  expect(failed).toEqual([]);
  // The log contains the damage for the operator.
  expect(installation.log.join('\n')).toContain('stored data is damaged');
});

test('an execution is shown without its damaged parts, and names them', async () => {
  const { installation, asking, db } = await open();
  const read = async (table: string, column: string) => {
    let detail: unknown;
    await whileDamaged(db, { table, column, text: '{' }, async () => {
      detail = (await installation.api.get(`${root}/executions/${asking}/`)).body;
    });
    return executionDetail.parse(detail);
  };
  const asked = { waits: [{ node_id: 'ask', kind: 'approval', prompt: 'Well?' }] };
  expect(await read('waits', 'pause')).toMatchObject({ ...asked, unreadable: [], trigger_payload: { n: 1 } });
  expect(await read('triggers', 'payload')).toMatchObject({
    ...asked,
    unreadable: ['trigger_payload'],
    trigger_payload: null,
    logs: [{ node_id: 'start', status: 'success' }, { node_id: 'ask' }],
  });
  expect(await read('journal', 'data')).toMatchObject({ ...asked, unreadable: ['final_output', 'logs'], logs: [] });
  expect(await read('journal', 'heads')).toMatchObject({ unreadable: ['final_output', 'logs'] });
  // A question with a damaged row can still be answered.
  await whileDamaged(db, { table: 'waits', column: 'pause', text: '{' }, async () => {
    const answer = await installation.api.post(`${root}/executions/${asking}/resume/`, {
      node_id: 'ask',
      confirmed: true,
    });
    expect(answer.status).toBe(200);
  });
  db.close();
});

test('no payload is accepted against an input_schema that cannot be read', async () => {
  const { installation, db } = await open();
  const { api } = installation;
  // After this change it is read from its row again.
  await api.patch(`${root}/workflows/whole/`, { description: 'Changed.' });
  await whileDamaged(db, { table: 'workflows', column: 'input_schema', text: '{' }, async () => {
    const { body } = await api.get(`${root}/workflows/?limit=1`);
    expect(body).toMatchObject({ items: [{ slug: 'whole', input_schema: { not: {} } }] });
    expect((await api.post(`${root}/workflows/whole/execute/`, { payload: {} })).status).toBe(422);
  });
  const repaired = await api.patch(`${root}/workflows/whole/`, { input_schema: { type: 'object' } });
  expect(workflow.parse(repaired.body).input_schema).toEqual({ type: 'object' });
  db.close();
});
