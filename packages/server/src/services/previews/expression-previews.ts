import {
  type Catalogue,
  type EvaluatedText,
  type Execution,
  evaluateText,
  formatInstant,
  type Json,
  Problem,
  pastScope,
  type Scope,
  type User,
  type Workflow,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Turns } from '../../ground/turns.ts';
import type { Store } from '../../store/store.ts';
import { executionNotFound, loadExecution } from '../executions/execution-access.ts';
import { planOfShownRun } from '../executions/run-plan.ts';

/** A text to evaluate with the data of an execution. */
interface PreviewRequest {
  readonly text: string;
  /** Whether the text is an expression without braces. */
  readonly isBare: boolean;
  /** The node whose config contains the text; null if it is unknown. */
  readonly nodeId: string | null;
  /** Null for the newest execution that has started. */
  readonly executionId: string | null;
}

/** The result: null if there is no data. */
interface Preview {
  readonly evaluated: EvaluatedText | null;
  readonly execution: Execution | null;
}

/** Evaluates texts of configs with the data of executions, without a step. */
export interface ExpressionPreviews {
  /** @throws Problem `not_found` if the execution does not exist, or belongs to another workflow */
  evaluate(user: User, workflow: Workflow, request: PreviewRequest): Promise<Preview>;
}

interface PreviewPorts {
  readonly store: Pick<Store, 'executions' | 'workflows' | 'collaborators' | 'graphs' | 'variables'>;
  readonly catalogue: Catalogue;
  readonly clock: Pick<Clock, 'now'>;
  readonly turns: Pick<Turns, 'finish'>;
}

export function createExpressionPreviews(ports: PreviewPorts): ExpressionPreviews {
  const { store, clock } = ports;
  return {
    async evaluate(user, workflow, request) {
      const execution = await executionOf(ports, user, workflow, request.executionId);
      if (execution === null) return { evaluated: withoutData(request, clock.now()), execution };
      if (await store.executions.isLarge(execution.id)) return { evaluated: tooLarge, execution };
      return {
        evaluated: evaluateText(request, await scopeFrom(ports, workflow, execution, request), clock.now()),
        execution,
      };
    },
  };
}

const tooLarge: EvaluatedText = {
  kind: 'error',
  message: 'The data of this execution is too large for a preview. Choose a smaller execution.',
  place: null,
};

/** So many executions are searched for one that has started: more do not wait at once in practice. */
const searchedExecutions = 10;

async function executionOf(
  { store }: PreviewPorts,
  user: User,
  workflow: Workflow,
  id: string | null,
): Promise<Execution | null> {
  if (id !== null) {
    const { execution } = await loadExecution(store, user, id);
    if (execution.workflowId !== workflow.id) throw executionNotFound();
    return execution;
  }
  const filter = { workflowId: workflow.id, visibleTo: user.id, limit: searchedExecutions, offset: 0 };
  const { items } = await store.executions.list(filter);
  return items.find(({ startedAt }) => startedAt !== null) ?? null;
}

/** Without an execution, only a text that needs no data has a value, and only mistakes of writing are errors. */
function withoutData(request: PreviewRequest, now: number): EvaluatedText | null {
  let needsData = false;
  const scope: Scope = {
    lookup() {
      needsData = true;
      return undefined;
    },
    names: () => [],
  };
  const evaluated = evaluateText(request, scope, now);
  return evaluated.kind === 'error' && needsData ? null : evaluated;
}

async function scopeFrom(
  ports: PreviewPorts,
  workflow: Workflow,
  { id, startedAt }: Execution,
  { nodeId, text }: PreviewRequest,
): Promise<Scope> {
  const detail = await ports.store.executions.detail(id);
  if (detail === null) throw executionNotFound();
  const plan = await planOfShownRun(ports, detail);
  if (plan === null) {
    throw new Problem('conflict', 'The version that this execution ran is not stored. Choose a newer execution.');
  }
  const { journal, trigger, workflowSlug } = detail;
  const run = { id, started_at: formatInstant(startedAt ?? detail.acceptedAt), workflow: workflowSlug };
  return pastScope({ plan, journal, facts: { trigger, run, vars: await variablesOf(ports, workflow, text) } }, nodeId);
}

/** The current values of the variables that a text names. Secret variables have none outside of a request. */
async function variablesOf({ store }: PreviewPorts, { id: workflowId }: Workflow, text: string) {
  const values: [name: string, value: Json][] = [];
  const secrets: string[] = [];
  for (const { name, isSecret } of await store.variables.visibleTo({ workflowId })) {
    if (isSecret) secrets.push(name);
    if (isSecret || !text.includes(name)) continue;
    const variable = await store.variables.sealedFor({ workflowId, name });
    if (variable !== null && variable.sealed === null) values.push([name, variable.value]);
  }
  // fromEntries creates own properties, even for a name such as __proto__.
  return { values: Object.fromEntries(values), secrets };
}
