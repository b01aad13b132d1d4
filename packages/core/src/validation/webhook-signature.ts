import { readNodeConfig } from '../component/node-config.ts';
import type { Node } from '../graph/graph.ts';
import type { GraphIssue } from './graph-issue.ts';
import type { GraphWorld } from './graph-world.ts';

/** How a sender proves that it knows a webhook's secret: our own way, and those of two git hosts. */
export const signatureSchemes = ['hmac_sha256', 'git_host_a', 'git_host_b'] as const;

export type SignatureScheme = (typeof signatureSchemes)[number];

/** A webhook that takes signatures, and has no secret to check them with: it takes none. */
export function checkSignature(
  { nodeId, componentType, config }: Node,
  { signingFault }: Pick<GraphWorld, 'signingFault'>,
): readonly GraphIssue[] {
  if (componentType !== 'trigger_webhook') return [];
  const common = readNodeConfig(config);
  if (!common.success) return [];
  const { credential_id: id, extra_config: own } = common.data;
  if (!signatureSchemes.some((scheme) => scheme === own.signature)) return [];
  const field = 'credential_id';
  const issue = { code: 'missing_setting', severity: 'warning', nodeId, field } as const;
  if (id === null) {
    const message = `Node '${nodeId}' checks signatures and has no credential with a webhook_secret: set its ${field}`;
    return [{ ...issue, message }];
  }
  const fault = signingFault(id);
  const message = `Node '${nodeId}' checks signatures with credential ${id}, which ${fault}: give it one, or set another ${field}`;
  return fault === null ? [] : [{ ...issue, path: [field], message }];
}
