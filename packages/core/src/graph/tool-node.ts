import type { Component } from '../component/component.ts';
import { splitExtraConfig } from '../component/config-check.ts';
import { storedNodeConfig } from '../component/node-config.ts';
import type { OfferingNode } from '../component/tools/offered-tool.ts';
import { toolKey } from '../component/tools/tool-settings.ts';
import type { Node } from './graph.ts';

/** A stored node as it offers itself to agents, with its credential. */
export function toolNodeOf(
  { nodeId, config }: Pick<Node, 'nodeId' | 'config'>,
  component: Component<never>,
): OfferingNode & { readonly credentialId: number | null } {
  const { extra_config: extra, credential_id: stored } = storedNodeConfig(config);
  const { own, tool } = splitExtraConfig(extra, component);
  const credentialId = component.credential === undefined ? null : stored;
  return { nodeId, component, config: own, settings: toolKey.parse(tool).tool ?? {}, credentialId };
}
