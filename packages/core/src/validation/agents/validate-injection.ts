import type { Catalogue, Component } from '../../component/component.ts';
import { changesOutside } from '../../component/tools/effect.ts';
import { toolKey } from '../../component/tools/tool-settings.ts';
import type { Graph, Node } from '../../graph/graph.ts';
import { isArray, isObject, type JsonObject, own } from '../../json.ts';
import type { GraphIssue } from '../graph-issue.ts';

/** A tool of an agent. */
interface AgentTool {
  readonly nodeId: string;
  readonly name: string;
  /** Whether people outside write what it returns. */
  readonly isUntrusted: boolean;
  /** Whether its calls change something outside. */
  readonly acts: boolean;
  /** Whether a person approves each of its calls. */
  readonly asks: boolean;
}

/**
 * Reports agents that read what people outside write and act outside without asking anybody: text from outside can lead
 * them to act.
 */
export function checkInjection({ nodes, edges }: Graph, catalogue: Catalogue): readonly GraphIssue[] {
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const tools = Map.groupBy(
    edges.filter(({ edgeLabel }) => edgeLabel === 'tool'),
    ({ targetNodeId }) => targetNodeId,
  );
  return [...tools].flatMap(([nodeId, connected]): readonly GraphIssue[] => {
    const agent = byId.get(nodeId);
    if (agent === undefined || ownConfig(agent).guard === 'after_untrusted') return [];
    const offered = connected.flatMap(({ sourceNodeId }) => {
      const node = byId.get(sourceNodeId);
      const component = node && catalogue.get(node.componentType);
      return node === undefined || component?.tool === undefined ? [] : [toolOf(node, component)];
    });
    const issue = injectionIn(agent, offered);
    return issue === null ? [] : [issue];
  });
}

function injectionIn(agent: Node, tools: readonly AgentTool[]): GraphIssue | null {
  const approved = ownConfig(agent).approve;
  const names = approved !== undefined && isArray(approved) ? approved : [];
  const asks = ({ asks: always, name }: AgentTool): boolean => always || names.includes('*') || names.includes(name);
  const acting = tools.find((tool) => tool.acts && !asks(tool) && tools.some((other) => feeds(other, tool)));
  const reading = acting && tools.find((tool) => feeds(tool, acting));
  if (acting === undefined || reading === undefined) return null;
  const { nodeId } = agent;
  const message = `Node '${nodeId}' can be led by text from outside: '${reading.nodeId}' returns what people outside write, and the calls of '${acting.nodeId}' act outside without asking a person`;
  const hint = "Set 'guard' to after_untrusted, or name the tool in 'approve'.";
  return { code: 'injection_path', severity: 'warning', nodeId, message, hint };
}

/** Whether what a tool returns can lead to calls of another one. */
function feeds(reading: AgentTool, acting: AgentTool): boolean {
  return reading.isUntrusted && reading.nodeId !== acting.nodeId;
}

function toolOf(node: Node, { tool: offer, effect }: Component<never>): AgentTool {
  const config = ownConfig(node);
  // A setting that is not valid is reported as such.
  const { tool: settings = {} } = toolKey.safeParse({ tool: own(config, 'tool') }).data ?? {};
  return {
    nodeId: node.nodeId,
    name: settings.name ?? node.nodeId,
    isUntrusted: settings.untrusted ?? offer?.isUntrusted ?? false,
    acts: changesOutside(offer?.effectOf?.(config) ?? effect) || offer?.acts?.(config) === true,
    asks: settings.asks ?? false,
  };
}

function ownConfig({ config }: Node): JsonObject {
  const extra = config.extra_config;
  return extra !== undefined && isObject(extra) ? extra : {};
}
