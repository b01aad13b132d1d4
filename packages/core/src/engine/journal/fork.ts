import { Problem } from '../../errors.ts';
import { loopsAround } from '../../graph/loop-bodies.ts';
import { type JsonObject, own } from '../../json.ts';
import { applyFact } from '../fold/fold.ts';
import { onErrorOf } from '../fold/fold-edges.ts';
import type { Plan } from '../plan.ts';
import { newRunState, type RunState, stepAt } from '../run-state.ts';
import type { Fact, JournalEntry, StepFailed, StepSkipped, StepSucceeded } from './history.ts';
import { standingEntries } from './retried-journal.ts';

type StepFact = StepSucceeded | StepFailed | StepSkipped;

/** How a node ended, and whether the run went on after it. */
interface NodeEnd {
  readonly fact: StepFact;
  readonly agreed: boolean;
}

/** A run to be begun with what another one did. */
export interface Fork {
  /** Of the new run: its graph may be another version of the workflow. */
  readonly plan: Plan;
  readonly source: { readonly executionId: string; readonly journal: readonly JournalEntry[] };
  /** The first node to run again. For one in a loop's body it is the whole loop, the outermost one. */
  readonly fromNode: string;
  /** By node id the ports whose values differ from what the other run had. */
  readonly overrides: ReadonlyMap<string, JsonObject>;
  /** Whether a node is in both graphs, with the same type: only then does its result mean the same. */
  readonly isKept: (nodeId: string) => boolean;
}

/**
 * The journal that the new run begins with: what the nodes that do not come after `fromNode` put out. They are never
 * performed again; `fromNode` and all that follows it is.
 * @throws Problem `invalid` when an override is of a node whose result is not reused
 */
export function forkJournal(fork: Fork): readonly Fact[] {
  const { plan, overrides } = fork;
  const state = newRunState(plan);
  const reused: Fact[] = [];
  const left = new Set(overrides.keys());
  for (const { fact, agreed } of lastFacts(fork)) {
    if (!fits(state, fact)) continue;
    const ports = overrides.get(fact.nodeId);
    const copy = copied(fact, { executionId: fork.source.executionId, ports, agreed });
    if (fact.kind === 'step_succeeded') left.delete(fact.nodeId);
    applyFact(state, copy);
    reused.push(copy);
  }
  const [node] = left;
  if (node === undefined || node === plan.trigger) return reused;
  throw invalidOverride(node, `Node '${node}' runs in the new execution, so its outputs cannot be given.`);
}

/** Of each node that is reused how it ended, in the order in which they ended. */
function lastFacts({ plan, source, fromNode, isKept }: Fork): readonly NodeEnd[] {
  const redone = following(plan, loopsAround(fromNode, plan.loopOf)[0] ?? fromNode);
  const last = new Map<string, NodeEnd>();
  const standing = standingEntries(source.journal).map(({ fact }) => fact);
  for (const fact of standing) {
    // A loop is reused as a whole: what happened in its frames made up its result.
    if (!isEnd(fact) || fact.frame !== '') continue;
    if (redone.has(fact.nodeId) || !plan.nodes.has(fact.nodeId) || !isKept(fact.nodeId)) continue;
    // Set anew, so that the order is that of the last facts.
    last.delete(fact.nodeId);
    last.set(fact.nodeId, { fact, agreed: isAgreedAfter(standing, fact) });
  }
  return [...last.values()];
}

/** Whether nothing was to be asked after the step, or somebody agreed. */
function isAgreedAfter(standing: readonly Fact[], end: StepFact): boolean {
  const { nodeId } = end;
  const last = standing.findLast(
    (fact) =>
      (fact.kind === 'step_paused' || fact.kind === 'step_resumed') &&
      fact.stage === 'after' &&
      fact.frame === '' &&
      fact.nodeId === nodeId,
  );
  // What the run itself had taken over may have waited for its question when the run ended.
  if (last === undefined) {
    return end.kind !== 'step_succeeded' || end.agreed === true || end.metadata?.reused_from === undefined;
  }
  return last.kind === 'step_resumed' && last.answer.kind === 'decision' && last.answer.confirmed;
}

/** Whether an attempt ended with it, or there was none. */
function isEnd(fact: Fact): fact is StepFact {
  return fact.kind === 'step_succeeded' || fact.kind === 'step_failed' || fact.kind === 'step_skipped';
}

/** The node and all that its edges lead to. */
function following(plan: Plan, fromNode: string): ReadonlySet<string> {
  const found = new Set([fromNode]);
  for (const nodeId of found) {
    for (const edge of plan.nodes.get(nodeId)?.outgoing ?? []) found.add(edge.target);
  }
  return found;
}

/** Whether the new run comes to this fact, too: what lies before it was reused, and the edges lead there. */
function fits(state: RunState, fact: StepFact): boolean {
  const step = stepAt(state, fact);
  if (step === undefined) return false;
  if (fact.kind === 'step_skipped') return step.phase === 'skipping';
  if (step.phase !== 'ready') return false;
  return fact.kind === 'step_succeeded' || (fact.retryAt === null && onErrorOf(step.node) !== 'stop');
}

interface Copying {
  readonly executionId: string;
  readonly ports: JsonObject | undefined;
  readonly agreed: boolean;
}

/** The fact as the new run has it. It says where it comes from, and that its models were not asked again. */
function copied(fact: StepFact, { executionId, ports, agreed }: Copying): StepFact {
  if (fact.kind === 'step_skipped') return fact;
  if (fact.kind === 'step_failed') {
    const { usage: _spent, ...rest } = fact;
    return rest;
  }
  const { usage: _spent, agreed: _before, ...bare } = fact;
  const rest: StepSucceeded = { ...bare, ...(agreed && { agreed: true as const }) };
  const metadata = { ...rest.metadata, reused_from: executionId };
  if (ports === undefined) return { ...rest, metadata };
  const outputs = { ...rest.outputs, ...ports };
  const route = own(ports, 'route');
  const routed = rest.route !== undefined && typeof route === 'string' ? { route } : {};
  return { ...rest, ...routed, outputs, metadata: { ...metadata, overridden: Object.keys(ports) } };
}

function invalidOverride(node: string, msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', 'overrides', node], msg }]);
}
