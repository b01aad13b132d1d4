import {
  addUsage,
  type Fact,
  formatInstant,
  type Instant,
  type ModelCaller,
  type ModelUsage,
  type Spent,
} from '@millrace/core';
import type { UsageStore } from '../../usage.ts';
import { expectRow } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';

/**
 * Nodes and models of a day that are counted separately. A node may be renamed at any time, and a read must not take
 * long: a year has at most 37,000 rows, which takes about 20 ms.
 */
const maxCallersPerDay = 100;
/** Older days are deleted: a year and a month, so that a month can be compared with that of the year before. */
const storedDays = 400;
const dayMs = 86_400_000;
/** Nodes and models in one answer. */
const maxCallers = 1000;

const others: ModelCaller = { nodeId: '', model: '' };

/** A fact about a step that called a model. */
interface Used {
  readonly at: Instant;
  readonly usage: ModelUsage;
  readonly by: ModelCaller;
}

type Figures = [calls: number, input: number, output: number, cost: number];
type Key = [workflowId: number, day: string, nodeId: string, model: string];

const figures =
  'sum(calls) AS calls, sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens, sum(cost_usd) AS costUsd';

/** The day of an instant, in UTC. */
function dayOf(at: Instant): string {
  return formatInstant(at).slice(0, '2026-01-31'.length);
}

/** Adds the usage of facts to the counts of their workflow. Call it in the transaction that stores them. */
export function prepareCountUsage(connection: Connection): (workflowId: number, facts: readonly Fact[]) => void {
  const add = connection.prepare<[...Figures, ...Key]>(
    `UPDATE model_usage SET calls = calls + ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
       cost_usd = cost_usd + ? WHERE workflow_id = ? AND day = ? AND node_id = ? AND model = ?`,
  );
  const insert = connection.prepare<[...Key, ...Figures]>(
    `INSERT INTO model_usage (workflow_id, day, node_id, model, calls, input_tokens, output_tokens, cost_usd)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const rowsOf = connection
    .prepare<[number, string], number>('SELECT count(*) FROM model_usage WHERE workflow_id = ? AND day = ?')
    .pluck();
  const removeOld = connection.prepare<[number, string]>('DELETE FROM model_usage WHERE workflow_id = ? AND day < ?');

  function count(workflowId: number, { at, usage, by }: Used): void {
    const values: Figures = [usage.calls, usage.inputTokens, usage.outputTokens, usage.costUsd];
    const key: Key = [workflowId, dayOf(at), by.nodeId, by.model];
    if (add.run(...values, ...key).changes > 0) return;
    const rows = rowsOf.get(workflowId, key[1]) ?? 0;
    if (rows >= maxCallersPerDay && by !== others) {
      count(workflowId, { at, usage, by: others });
      return;
    }
    insert.run(...key, ...values);
    // Only the first row of a day deletes older days.
    if (rows === 0) removeOld.run(workflowId, dayOf(at - storedDays * dayMs));
  }

  return (workflowId, facts) => {
    for (const used of usedIn(facts)) count(workflowId, used);
  };
}

/** The usage of the facts of one transaction, added up: most belong to one node. */
function usedIn(facts: readonly Fact[]): Iterable<Used> {
  const found = new Map<string, Used>();
  for (const fact of facts) {
    if (!('usage' in fact) || fact.usage === undefined) continue;
    const { usage, at, nodeId } = fact;
    const by = usage.by ?? { nodeId, model: '' };
    const key = JSON.stringify([dayOf(at), by.nodeId, by.model]);
    const known = found.get(key);
    found.set(key, { at, by, usage: known === undefined ? usage : addUsage(known.usage, usage) });
  }
  return found.values();
}

interface CallerRow extends ModelUsage {
  readonly nodeId: string;
  readonly model: string;
}

export function usageStore(connection: Connection): UsageStore {
  const days = connection.prepare<[number, string, string], ModelUsage & { readonly day: string }>(
    `SELECT day, ${figures} FROM model_usage WHERE workflow_id = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day`,
  );
  const callers = connection.prepare<[number, string, string, number], CallerRow>(
    `SELECT node_id AS nodeId, model, ${figures} FROM model_usage
     WHERE workflow_id = ? AND day BETWEEN ? AND ? GROUP BY node_id, model
     ORDER BY costUsd DESC, inputTokens + outputTokens DESC, node_id, model LIMIT ?`,
  );
  const spent = connection.prepare<[number, string], Spent>(
    `SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens, coalesce(sum(cost_usd), 0) AS usd
     FROM model_usage WHERE workflow_id = ? AND day >= ?`,
  );
  return {
    spentSince: ({ workflowId, since }) => connection.read(() => expectRow(spent.get(workflowId, since))),
    ofWorkflow: ({ workflowId, since, until }) =>
      connection.read(() => ({
        days: days.all(workflowId, since, until),
        callers: callers.all(workflowId, since, until, maxCallers).map(({ nodeId, model, ...usage }) => ({
          ...usage,
          by: nodeId === others.nodeId ? null : { nodeId, model },
        })),
      })),
  };
}
