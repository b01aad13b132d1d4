import { botTriggerType } from '../../chat-bot/incoming-message.ts';
import type { Catalogue } from '../../component/component.ts';
import { chatTriggerType } from '../../engine/chat.ts';
import type { Graph } from '../../graph/graph.ts';
import type { GraphIssue } from '../graph-issue.ts';

/** Reports memories in a graph without a chat trigger, because they would always be empty. */
export function checkMemories({ nodes, edges }: Graph, catalogue: Catalogue): readonly GraphIssue[] {
  if (nodes.some(({ componentType }) => [chatTriggerType, botTriggerType].includes(componentType))) return [];
  const memories = new Set(edges.flatMap((edge) => (edge.edgeLabel === 'memory' ? [edge.sourceNodeId] : [])));
  return nodes.flatMap(({ nodeId, componentType }): readonly GraphIssue[] => {
    const isMemory = catalogue.get(componentType)?.outputs.some(({ dataType }) => dataType === 'memory') === true;
    if (!isMemory || !memories.has(nodeId)) return [];
    const message = `Node '${nodeId}' has nothing to remember: no ${chatTriggerType} or ${botTriggerType} starts the workflow`;
    return [{ code: 'no_conversation', severity: 'warning', nodeId, message }];
  });
}
