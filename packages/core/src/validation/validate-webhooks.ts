import { readNodeConfig } from '../component/node-config.ts';
import { signatureSchemes } from '../component/webhook.ts';
import type { Node } from '../graph/graph.ts';
import type { GraphIssue } from './graph-issue.ts';
import type { GraphWorld } from './graph-world.ts';

/** Reports a webhook that verifies its senders but has no credential for that: it accepts none of them. */
export function checkWebhook(
  { nodeId, componentType, config }: Node,
  { signingIssue, basicAuthIssue }: Pick<GraphWorld, 'signingIssue' | 'basicAuthIssue'>,
): readonly GraphIssue[] {
  const isGit = componentType === 'trigger_git';
  if (componentType !== 'trigger_webhook' && !isGit) return [];
  const common = readNodeConfig(config);
  if (!common.success) return [];
  const { credential_id: id, extra_config: own } = common.data;
  const isSigned = isGit || signatureSchemes.some((scheme) => scheme === own.signature);
  const needs = [
    ...(isSigned || own.challenge === 'meta' ? [{ ...secretNeed, issueOf: signingIssue }] : []),
    ...(own.auth === 'basic' ? [{ ...basicNeed, issueOf: basicAuthIssue }] : []),
  ];
  const field = 'credential_id';
  const issue = { code: 'missing_setting', severity: 'warning', nodeId, field } as const;
  return needs.flatMap(({ checks, wanted, issueOf }): readonly GraphIssue[] => {
    if (id === null) {
      return [
        {
          ...issue,
          message: `Node '${nodeId}' checks ${checks} and has no credential with ${wanted}: set its ${field}`,
        },
      ];
    }
    const problem = issueOf(id);
    const message = `Node '${nodeId}' checks ${checks} with credential ${id}, which ${problem}: give it one, or set another ${field}`;
    return problem === null ? [] : [{ ...issue, path: [field], message }];
  });
}

const secretNeed = { checks: 'signatures', wanted: 'a webhook_secret' } as const;
const basicNeed = { checks: 'passwords', wanted: "the scheme 'basic'" } as const;
