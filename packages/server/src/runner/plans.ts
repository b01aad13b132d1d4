import {
  type Catalogue,
  type Graph,
  type GraphIssue,
  graphWeight,
  InvalidWorkflow,
  issuesInPart,
  type Plan,
  Problem,
  planningRun,
  planWeight,
  runPart,
  standingEntries,
} from '@millrace/core';
import { WeighedCache } from '../ground/weighed-cache.ts';
import type { ClaimedRun } from '../store/executions.ts';
import type { Store } from '../store/store.ts';
import type { RunnerPorts } from './ports.ts';

type Pinned = Pick<ClaimedRun, 'workflowId' | 'version' | 'triggerNodeId' | 'toNodeId' | 'epoch' | 'journal'>;

/** Estimated memory for the compiled plans of versions; beyond it the least recently used one is dropped. */
const maxPlanBytes = 40_000_000;
/** An error with its message. */
const problemBytes = 1000;

interface PlansPorts extends Pick<RunnerPorts, 'catalogue' | 'validity' | 'turns'> {
  readonly store: { readonly graphs: Pick<Store['graphs'], 'pinned'> };
}

/** The part of a version that a trigger reaches. */
interface Compiled {
  /** The plan, or the reason why the version cannot run. */
  readonly plan: Plan | Problem;
  /** The errors of the graph itself. */
  readonly errors: readonly GraphIssue[];
  /** The graph if it calls other workflows or names variables: those are checked for each run. */
  readonly dependent: Graph | null;
}

/** The compiled plans of the versions of runs: each is read, validated and compiled once. */
export class Plans {
  readonly #ports: PlansPorts;
  readonly #compiled: WeighedCache<string, Compiled>;
  readonly #loading = new Map<string, Promise<Compiled>>();

  constructor(ports: PlansPorts, maxBytes = maxPlanBytes) {
    this.#ports = ports;
    this.#compiled = new WeighedCache(maxBytes);
  }

  /** The plan of a run that may start or continue at once; undefined if it must be loaded. */
  known(run: Pinned): Plan | undefined {
    const compiled = this.#compiled.get(keyOf(run));
    if (compiled === undefined || compiled.plan instanceof Problem) return undefined;
    const { plan, errors, dependent } = compiled;
    return (errors.length === 0 && dependent === null) || !begins(run) ? plan : undefined;
  }

  /** @throws InvalidWorkflow for a new run with errors, Problem `invalid` if its version cannot run */
  async load(run: Pinned): Promise<Plan> {
    const key = keyOf(run);
    const { plan, errors, dependent } = this.#compiled.get(key) ?? (await this.#loaded(run, key));
    if (begins(run)) {
      const found = dependent === null ? [] : await this.#ports.validity.outerErrors(run.workflowId, dependent);
      const outer = dependent === null ? [] : issuesOf(run, found, dependent, this.#ports.catalogue);
      if (errors.length + outer.length > 0) throw new InvalidWorkflow([...errors, ...outer]);
    }
    if (plan instanceof Problem) throw plan;
    return plan;
  }

  #loaded(run: Pinned, key: string): Promise<Compiled> {
    const loading = this.#loading.get(key) ?? this.#load(run, key).finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  async #load(run: Pinned, key: string): Promise<Compiled> {
    const { workflowId, version, triggerNodeId, toNodeId } = run;
    const { store, catalogue, validity, turns } = this.#ports;
    const graph = await store.graphs.pinned({ workflowId, version });
    if (graph === null) throw new Problem('invalid', `Version ${version} of the workflow is not stored.`);
    const plan = await turns.finish(planningRun({ graph, catalogue, triggerNodeId, toNodeId })).catch(asProblem);
    const dependent = validity.dependsOnOthers(graph) ? graph : null;
    const errors = issuesOf(run, await turns.finish(validity.errorsIn(graph)), graph, catalogue);
    const compiled = { plan, errors, dependent };
    this.#compiled.set(key, compiled, weight(compiled));
    return compiled;
  }
}

/** The issues that matter to a run: all of them, unless it runs only up to a node. */
function issuesOf(
  { triggerNodeId, toNodeId }: Pinned,
  issues: readonly GraphIssue[],
  graph: Graph,
  catalogue: Catalogue,
): readonly GraphIssue[] {
  const part = toNodeId === null ? null : runPart({ graph, catalogue, triggerNodeId, toNodeId });
  return part === null ? issues : issuesInPart(issues, graph, part);
}

/** The approximate bytes of memory. */
function weight({ plan, errors, dependent }: Compiled): number {
  const planned = plan instanceof Problem ? problemBytes : planWeight(plan);
  return planned + errors.length * problemBytes + (dependent === null ? 0 : graphWeight(dependent));
}

/** True if a run has performed nothing yet. A run in progress, or one that is retried, continues with its plan. */
function begins({ epoch, journal }: Pinned): boolean {
  return epoch === 1 || standingEntries(journal).length === 0;
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

function keyOf({ workflowId, version, triggerNodeId, toNodeId }: Pinned): string {
  return `${workflowId}:${version}:${triggerNodeId}:${toNodeId ?? ''}`;
}
