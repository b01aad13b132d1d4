import { type Plan, Problem, planRun } from '@millrace/core';
import type { ClaimedRun } from '../store/executions.ts';
import type { Store } from '../store/store.ts';
import type { RunnerPorts } from './ports.ts';

type Pinned = Pick<ClaimedRun, 'workflowId' | 'version' | 'triggerNodeId'>;

/** Versions whose compiled plans are kept; past it the one used longest ago goes. */
const maxPlans = 500;

interface PlansPorts extends Pick<RunnerPorts, 'catalogue'> {
  readonly store: { readonly graphs: Pick<Store['graphs'], 'pinned'> };
}

/** The compiled plans of the versions that runs have pinned: each is read and compiled once. */
export class Plans {
  readonly #ports: PlansPorts;
  readonly #plans = new Map<string, Plan>();
  readonly #loading = new Map<string, Promise<Plan>>();

  constructor(ports: PlansPorts) {
    this.#ports = ports;
  }

  known(run: Pinned): Plan | undefined {
    const key = keyOf(run);
    const plan = this.#plans.get(key);
    // Set anew, so that the first one is that which was used longest ago.
    if (plan !== undefined && this.#plans.delete(key)) this.#plans.set(key, plan);
    return plan;
  }

  /** Rejects with Problem `invalid` when the version cannot run. */
  load(run: Pinned): Promise<Plan> {
    const key = keyOf(run);
    const loading = this.#loading.get(key) ?? this.#load(run, key).finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  async #load(run: Pinned, key: string): Promise<Plan> {
    const { workflowId, version, triggerNodeId } = run;
    const graph = await this.#ports.store.graphs.pinned({ workflowId, version });
    if (graph === null) throw new Problem('invalid', `Version ${version} of the workflow is not stored.`);
    const plan = planRun({ graph, catalogue: this.#ports.catalogue, triggerNodeId });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size >= maxPlans && oldest !== undefined) this.#plans.delete(oldest);
    this.#plans.set(key, plan);
    return plan;
  }
}

function keyOf({ workflowId, version, triggerNodeId }: Pinned): string {
  return `${workflowId}:${version}:${triggerNodeId}`;
}
