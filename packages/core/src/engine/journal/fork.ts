import { runThrough, type SlicedWork } from '../../base/meter.ts';
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

/** How a node ended, and whether the run continued after it. */
interface NodeEnd {
  readonly fact: StepFact;
  readonly agreed: boolean;
}

/** A new run that reuses results of another one. */
export interface Fork {
  /** The plan of the new run: its graph may be another version of the workflow. */
  readonly plan: Plan;
  readonly source: { readonly executionId: string; readonly journal: readonly JournalEntry[] };
  /** The first node to run again. For a node in a loop's body the whole outermost loop runs again. */
  readonly fromNode: string;
  /** Port values that replace those of the other run, by node id. */
  readonly overrides: ReadonlyMap<string, JsonObject>;
  /** The pinned outputs of nodes, by node id, which replace those of the other run; empty if pins do not apply. */
  readonly pins: ReadonlyMap<string, JsonObject>;
  /** Whether only `fromNode` runs: then every node before it needs a result to reuse, or a pin. */
  readonly isAlone: boolean;
  /** Whether a node is in both graphs with the same type, so that its result has the same meaning. */
  readonly isKept: (nodeId: string) => boolean;
}

/**
 * The initial journal of the new run: the outputs of all nodes that do not come after `fromNode`. They are not
 * performed again; `fromNode` and everything after it is.
 * @throws Problem `invalid` if an override names a node whose result is not reused, `conflict` if `fromNode` cannot run
 * alone
 */
export function forkJournal(fork: Fork): readonly Fact[] {
  return runThrough(forkInSlices(fork));
}

/** The same in slices, for a long journal. */
export function* forkInSlices(fork: Fork): SlicedWork<readonly Fact[]> {
  const { plan, overrides, pins } = fork;
  const state = newRunState(plan);
  const reused: Fact[] = [];
  const left = new Set(overrides.keys());
  for (const { fact, agreed } of lastFacts(fork)) {
    if (!fits(state, fact)) continue;
    const ports = overrides.get(fact.nodeId);
    const pin = pins.get(fact.nodeId);
    const copy = copied(fact, { executionId: fork.source.executionId, ports, pin, agreed });
    if (fact.kind === 'step_succeeded') left.delete(fact.nodeId);
    applyFact(state, copy);
    reused.push(copy);
    yield;
  }
  checkAlone(fork, state);
  const [node] = left;
  if (node === undefined || node === plan.trigger) return reused;
  throw invalidOverride(node, `Node '${node}' runs in the new execution, so its outputs cannot be overridden.`);
}

/** @throws Problem `conflict` if a node other than `fromNode` would be performed although only that one is to run */
function checkAlone({ isAlone, fromNode, plan, pins }: Fork, state: RunState): void {
  if (!isAlone) return;
  const alone = loopsAround(fromNode, plan.loopOf)[0] ?? fromNode;
  const missing = plan.root.find(({ nodeId }) => {
    const phase = stepAt(state, { nodeId, frame: '' })?.phase;
    return (
      nodeId !== alone && nodeId !== plan.trigger && !pins.has(nodeId) && (phase === 'ready' || phase === 'waiting')
    );
  });
  if (missing === undefined) return;
  const detail = `Node '${alone}' cannot run alone: node '${missing.nodeId}' before it has no result in this execution. Run the workflow up to '${alone}', or pin the output of '${missing.nodeId}'.`;
  throw new Problem('conflict', detail);
}

/** How each reused node ended, in the order in which they ended. */
function lastFacts({ plan, source, fromNode, isKept }: Fork): readonly NodeEnd[] {
  const redone = following(plan, loopsAround(fromNode, plan.loopOf)[0] ?? fromNode);
  const last = new Map<string, NodeEnd>();
  const standing = standingEntries(source.journal).map(({ fact }) => fact);
  const approvals = lastApprovals(standing);
  for (const fact of standing) {
    // A loop is reused as a whole: its result contains the results of its frames.
    if (!isEnd(fact) || fact.frame !== '') continue;
    if (redone.has(fact.nodeId) || !plan.nodes.has(fact.nodeId) || !isKept(fact.nodeId)) continue;
    // Inserted again, so that the order is that of the last facts.
    last.delete(fact.nodeId);
    last.set(fact.nodeId, { fact, agreed: isAgreedAfter(fact, approvals.get(fact.nodeId)) });
  }
  return [...last.values()];
}

type Approval = Extract<Fact, { readonly kind: 'step_paused' | 'step_resumed' }>;

/** The last request for an approval after each step, or its answer, outside loops. */
function lastApprovals(standing: readonly Fact[]): ReadonlyMap<string, Approval> {
  const isApproval = (fact: Fact): fact is Approval =>
    (fact.kind === 'step_paused' || fact.kind === 'step_resumed') && fact.stage === 'after' && fact.frame === '';
  return new Map(standing.filter(isApproval).map((fact) => [fact.nodeId, fact]));
}

/** Whether no approval was required after the step, or it was given. */
function isAgreedAfter(end: StepFact, last: Approval | undefined): boolean {
  // A reused step may have been waiting for its approval when the run ended.
  if (last === undefined) {
    return end.kind !== 'step_succeeded' || end.agreed === true || end.metadata?.reused_from === undefined;
  }
  return last.kind === 'step_resumed' && last.answer.kind === 'decision' && last.answer.confirmed;
}

/** Whether the fact is the end of an attempt or a skip. */
function isEnd(fact: Fact): fact is StepFact {
  return fact.kind === 'step_succeeded' || fact.kind === 'step_failed' || fact.kind === 'step_skipped';
}

/** The node and everything that its edges lead to. */
function following(plan: Plan, fromNode: string): ReadonlySet<string> {
  const found = new Set([fromNode]);
  for (const nodeId of found) {
    for (const edge of plan.nodes.get(nodeId)?.outgoing ?? []) found.add(edge.target);
  }
  return found;
}

/** Whether the fact also applies to the new run: everything before it was reused, and the edges lead there. */
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
  readonly pin: JsonObject | undefined;
  readonly agreed: boolean;
}

/** The fact for the new run. It names its source, and has no usage because no model was called again. */
function copied(fact: StepFact, { executionId, ports: given, pin, agreed }: Copying): StepFact {
  if (fact.kind === 'step_skipped') return fact;
  if (fact.kind === 'step_failed') {
    const { usage: _spent, ...rest } = fact;
    return rest;
  }
  const { usage: _spent, agreed: _before, ...bare } = fact;
  const rest: StepSucceeded = { ...bare, ...(agreed && { agreed: true as const }) };
  const metadata = { ...rest.metadata, reused_from: executionId };
  const ports = given ?? pin;
  if (ports === undefined) return { ...rest, metadata };
  const outputs = { ...rest.outputs, ...ports };
  const route = own(ports, 'route');
  const routed = rest.route !== undefined && typeof route === 'string' ? { route } : {};
  const origin = given === undefined ? { pinned: true } : { overridden: Object.keys(given) };
  return { ...rest, ...routed, outputs, metadata: { ...metadata, ...origin } };
}

function invalidOverride(node: string, msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', 'overrides', node], msg }]);
}
