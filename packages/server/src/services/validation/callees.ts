import {
  type Callee,
  calledSlug,
  type GraphWorld,
  type Node,
  type PayloadIssue,
  Problem,
  type User,
  type Workflow,
} from '@millrace/core';
import { type AccessStore, standingOf } from '../access/access.ts';
import type { Graphs } from '../workflows/graphs.ts';
import { calledTrigger, startIssues } from './called-workflow.ts';
import type { InputSchemas } from './input-schema.ts';
import { PayloadChecks } from './payload-checks.ts';

/** The dependencies of the checks of called workflows. */
export interface CalleePorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
  readonly inputSchemas: Pick<InputSchemas, 'issueIn'>;
}

/** A workflow whose nodes are checked; the future workflow of a text has no id yet. */
export interface Checked {
  readonly workflow: Pick<Workflow, 'slug' | 'ownerId' | 'isPublic'> & { readonly id: number | null };
  readonly nodes: readonly Pick<Node, 'componentType' | 'config'>[];
  /** The user who requests the check. */
  readonly user: Pick<User, 'id'>;
}

/** A stored workflow that is called, or the checked one. */
type Found = Workflow | 'itself';

/** Slugs that one check looks up: more than real workflows use, and some 50 ms for a hostile text. */
const maxLookups = 1000;

/**
 * Workflows that one check follows, and their nodes: more than real workflows chain, and few enough for a fast
 * response.
 */
const maxFollowed = { workflows: 200, nodes: 10_000 };

/**
 * Looks up the workflows that a graph calls as a run would find them: with the rights of the owner of the calling
 * workflow. They are looked up in the order of their slugs: if there are too many, the same ones are found whatever the
 * order of the nodes.
 */
export async function findCallees(ports: CalleePorts, checked: Checked): Promise<GraphWorld['callee']> {
  const search = new CallSearch(ports, checked.workflow);
  const found = new Map<string, Found | null>();
  for (const slug of slugsIn(checked.nodes)) {
    const target = await search.find(slug, checked.workflow.ownerId);
    if (target !== undefined) found.set(slug, target);
  }
  const targets = [...found.values()].filter((target) => target !== null && target !== 'itself');
  const comingBack = await search.comingBack(targets);
  const payloads = new PayloadChecks(ports.inputSchemas);
  const callees = new Map<string, Callee | 'missing'>();
  for (const [slug, target] of found) {
    if (target === null) callees.set(slug, 'missing');
    else if (target === 'itself') callees.set(slug, { comesBack: target, startIssue: null, payloadIssue: () => null });
    else {
      const check = payloads.of(target);
      const isSeen = await maySee(ports.store, checked, target);
      callees.set(slug, {
        comesBack: comingBack.has(target.id) ? 'through_others' : null,
        startIssue: isSeen ? startIssue(target, await search.nodesOf(target)) : null,
        payloadIssue: (payload) => shown(check(payload), isSeen),
      });
    }
  }
  return (slug) => callees.get(slug) ?? null;
}

/** Each slug once, sorted. */
function slugsIn(nodes: Checked['nodes']): readonly string[] {
  return [...new Set(nodes.map(calledSlug).filter((slug) => slug !== null))].sort();
}

/** Why no node can start a workflow, with the message of a step that tries. */
function startIssue({ isActive }: Workflow, nodes: Checked['nodes']): string | null {
  if (!isActive) return startIssues.inactive;
  const isStart = ({ componentType, config }: Checked['nodes'][number]) =>
    componentType === calledTrigger && config.is_active !== false;
  return nodes.some(isStart) ? null : startIssues.noTrigger;
}

/** Users other than the owner read and change a workflow, too, and may not see all workflows that it calls. */
async function maySee(store: AccessStore, { workflow, user }: Checked, target: Workflow): Promise<boolean> {
  return workflow.ownerId === user.id || (await standingOf(store, user, target)) !== null;
}

/** If the user may not see the workflow, the issue reveals nothing of its schema. */
function shown(issue: PayloadIssue | null, isSeen: boolean): PayloadIssue | null {
  return issue === null || isSeen ? issue : { path: [], isKey: false, message: 'is not what it accepts' };
}

/** One search through called workflows. */
class CallSearch {
  readonly #ports: CalleePorts;
  readonly #itself: Checked['workflow'];
  readonly #bySlug = new Map<string, Promise<Workflow | null>>();
  #lookups = 0;

  constructor(ports: CalleePorts, itself: Checked['workflow']) {
    this.#ports = ports;
    this.#itself = itself;
  }

  /** Null if it does not exist for this owner; undefined if there were too many lookups. */
  async find(slug: string, ownerId: number): Promise<Found | null | undefined> {
    this.#lookups += 1;
    if (this.#lookups > maxLookups) return undefined;
    const isItself = slug === this.#itself.slug;
    const target = isItself ? this.#itself : await this.#load(slug);
    if (target === null || !(await this.#isVisible(target, ownerId))) return null;
    return isItself ? 'itself' : (target as Workflow);
  }

  /** The ids of the workflows that call the checked one, directly or through others. */
  async comingBack(starts: readonly Workflow[]): Promise<ReadonlySet<number>> {
    const callers = new Map<number, number[]>();
    const back = new Set<number>();
    const followed = new Map(starts.map((workflow) => [workflow.id, workflow]));
    let nodes = 0;
    for (const next of followed.values()) {
      if (nodes > maxFollowed.nodes) break;
      const graph = await this.nodesOf(next);
      nodes += graph.length;
      for (const slug of slugsIn(graph)) {
        const called = await this.find(slug, next.ownerId);
        if (called === 'itself') back.add(next.id);
        if (typeof called !== 'object' || called === null) continue;
        callers.set(called.id, [...(callers.get(called.id) ?? []), next.id]);
        if (followed.size < maxFollowed.workflows) followed.set(called.id, called);
      }
    }
    // The set grows during the iteration: the callers of a workflow that calls the checked one do so, too.
    for (const id of back) for (const caller of callers.get(id) ?? []) back.add(caller);
    return back;
  }

  #load(slug: string): Promise<Workflow | null> {
    const known = this.#bySlug.get(slug) ?? this.#ports.store.workflows.bySlug(slug);
    this.#bySlug.set(slug, known);
    return known;
  }

  async #isVisible(target: Checked['workflow'], ownerId: number): Promise<boolean> {
    if (target.ownerId === ownerId || target.isPublic) return true;
    const { id } = target;
    // A workflow that is not stored has no collaborators.
    return id !== null && (await standingOf(this.#ports.store, { id: ownerId }, { ...target, id })) !== null;
  }

  /** The nodes that a call of the workflow runs now. */
  async nodesOf(workflow: Workflow): Promise<Checked['nodes']> {
    try {
      return (await this.#ports.graphs.effective(workflow)).nodes;
    } catch (error) {
      // It was deleted meanwhile, so it calls nothing.
      if (error instanceof Problem) return [];
      throw error;
    }
  }
}
