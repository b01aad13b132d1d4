import type { Catalogue, Component } from '../component/component.ts';
import { modelSlot, splitExtraConfig } from '../component/config-check.ts';
import { type NodeConfig, storedNodeConfig } from '../component/node-config.ts';
import { type CompiledConfig, compileConfig } from '../expression/config/config.ts';
import { labelOfSlot } from './edge-rules.ts';
import type { Edge, Node } from './graph.ts';

/** A node that is connected to another one as its model, tool, memory or parser. Only calls of it are steps there. */
export interface SubComponent {
  readonly nodeId: string;
  readonly component: Component<never>;
  readonly common: NodeConfig;
  /** The component's own part of `extra_config`. */
  readonly config: CompiledConfig;
  /** Whether a person approves each call of it before it begins, and its result. */
  readonly interruptBefore: boolean;
  readonly interruptAfter: boolean;
}

/** The sub-components of a node, by the name of the sub-input; each list in the order of connection. */
export type SubComponents = ReadonlyMap<string, readonly SubComponent[]>;

const none: SubComponents = new Map();

interface Surroundings {
  /** The edges that end at the node. */
  readonly incoming: readonly Edge[];
  readonly nodes: ReadonlyMap<string, Node>;
  readonly catalogue: Catalogue;
}

/** Resolves the labelled edges of a node. Edges from nodes that do not exist are ignored. */
export function subComponentsOf({ subInputs }: Component<never>, around: Surroundings): SubComponents {
  if (subInputs.length === 0) return none;
  const incoming = [...around.incoming].sort((a, b) => a.id - b.id);
  return new Map(
    subInputs.map(({ name }) => {
      const label = labelOfSlot(name);
      const edges = incoming.filter((edge) => edge.edgeLabel === label);
      return [name, edges.flatMap((edge) => subComponentOf(around.nodes.get(edge.sourceNodeId), around.catalogue))];
    }),
  );
}

function subComponentOf(node: Node | undefined, catalogue: Catalogue): readonly SubComponent[] {
  const component = node && catalogue.get(node.componentType);
  if (node === undefined || component === undefined) return [];
  const common = storedNodeConfig(node.config);
  const { own } = splitExtraConfig(common.extra_config, component);
  const { nodeId, interruptBefore, interruptAfter } = node;
  return [{ nodeId, component, common, config: compileConfig(own, component), interruptBefore, interruptAfter }];
}

/** The model of a node: of several the one connected last, as in `llm_model_config_id`. */
export function modelIn(subs: SubComponents): SubComponent | undefined {
  return subs.get(modelSlot)?.at(-1);
}

/** The common keys that a node inherits from its model if it does not set them. */
const inherited = [
  'temperature',
  'max_tokens',
  'frequency_penalty',
  'presence_penalty',
  'top_p',
  'timeout',
  'max_retries',
  'response_format',
] as const satisfies readonly (keyof NodeConfig)[];

/** A node's common config with the keys inherited from its model. */
export function withModelSettings(common: NodeConfig, model: SubComponent | undefined): NodeConfig {
  if (model === undefined) return common;
  const taken = inherited.map((key) => [key, common[key] ?? model.common[key]] as const);
  return { ...common, ...Object.fromEntries(taken) };
}
