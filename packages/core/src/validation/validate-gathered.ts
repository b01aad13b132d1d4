import { type Catalogue, type Component, isTrigger } from '../component/component.ts';
import { fits } from '../component/ports.ts';
import { isFlow } from '../engine/run-part.ts';
import type { Edge, Node } from '../graph/graph.ts';
import { suppliesOwnInput } from '../graph/own-input.ts';
import type { GraphIssue } from './graph-issue.ts';
import { PossibleRuns } from './possible-runs.ts';

interface Around {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly outgoing: ReadonlyMap<string, readonly Edge[]>;
  readonly catalogue: Catalogue;
}

/**
 * Reports nodes that receive several values in every run that reaches them, and so an object, although their input does
 * not accept one. If that happens only in some runs, nothing is reported, because the other runs may succeed.
 */
export class GatheredCheck {
  readonly #around: Around;
  /** One for each trigger; found when the first node needs them. */
  #runs: readonly PossibleRuns[] | null = null;

  constructor(around: Around) {
    this.#around = around;
  }

  check({ nodeId, config }: Node, component: Component<never>): readonly GraphIssue[] {
    const [port] = component.inputs;
    if (component.run === undefined || port === undefined || component.gathers !== undefined) return [];
    if (fits('object', port) || suppliesOwnInput(config, component)) return [];
    const edges = (this.#around.incoming.get(nodeId) ?? []).filter(
      (edge) => isFlow(edge) && edge.edgeLabel !== 'loop_return' && this.#around.nodes.has(edge.sourceNodeId),
    );
    if (edges.length < 2) return [];
    this.#runs ??= this.#findRuns();
    const reaching = this.#runs.filter((runs) => runs.reaches(nodeId));
    // Infinity also if no trigger leads to it.
    const fewest = Math.min(...reaching.map((runs) => runs.fewestValues(nodeId) ?? 0));
    if (fewest < 2 || fewest === Number.POSITIVE_INFINITY) return [];
    const sources = [...new Set(edges.map((edge) => `'${edge.sourceNodeId}'`))].join(', ');
    const message = `Node '${nodeId}' receives several values at once (from ${sources}), that is an object, but its input '${port.name}' is ${port.dataType}.`;
    return [{ code: 'edge_types', severity: 'error', nodeId, message }];
  }

  #findRuns(): readonly PossibleRuns[] {
    const { nodes, catalogue } = this.#around;
    const triggers = [...nodes.values()].filter(({ componentType }) => {
      const component = catalogue.get(componentType);
      return component !== undefined && isTrigger(component);
    });
    return triggers.length > maxTriggers ? [] : triggers.map(({ nodeId }) => new PossibleRuns(this.#around, nodeId));
  }
}

/** Each trigger is followed through the whole graph; a graph with more of them is not checked here. */
const maxTriggers = 20;
