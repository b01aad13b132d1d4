import type { Node } from './graph.ts';
import type { GraphIssue } from './graph-issue.ts';
import { readNodeConfig } from './node-config.ts';

/** How a sender proves that it knows a webhook's secret: our own way, and those of two git hosts. */
export const signatureSchemes = ['hmac_sha256', 'git_host_a', 'git_host_b'] as const;

export type SignatureScheme = (typeof signatureSchemes)[number];

/** A webhook that takes signatures, and has no secret to check them with: it takes none. */
export function checkSignature({ nodeId, componentType, config }: Node): readonly GraphIssue[] {
  if (componentType !== 'trigger_webhook') return [];
  const common = readNodeConfig(config);
  if (!common.success || common.data.credential_id !== null) return [];
  const { signature } = common.data.extra_config;
  if (!signatureSchemes.some((scheme) => scheme === signature)) return [];
  const field = 'credential_id';
  const message = `Node '${nodeId}' checks signatures and has no credential with a webhook_secret: set its ${field}`;
  return [{ code: 'missing_setting', severity: 'warning', nodeId, field, message }];
}
