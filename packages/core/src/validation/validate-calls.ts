import { partlyKnown } from '../expression/config/partly-known.ts';
import type { Node } from '../graph/graph.ts';
import { isObject, type Json, type JsonObject, own } from '../json.ts';
import type { GraphIssue } from './graph-issue.ts';
import type { Callee, GraphWorld } from './graph-world.ts';

/** The type of the node that runs another workflow. */
const callerType = 'workflow';

/** The slug of the workflow that a node runs; null if it runs none, or if an expression names it. */
export function calledSlug({ componentType, config }: Pick<Node, 'componentType' | 'config'>): string | null {
  const slug = componentType === callerType ? ownConfig(config).workflow : undefined;
  return typeof slug === 'string' && !slug.includes('{{') ? slug : null;
}

/** The config without validation: other errors in it are reported elsewhere. */
function ownConfig(config: JsonObject): { readonly workflow: Json | undefined; readonly payload: Json | undefined } {
  const extra = own(config, 'extra_config');
  const given = isObject(extra) ? extra : {};
  return { workflow: own(given, 'workflow'), payload: own(given, 'payload') };
}

/** The issues of the workflow that a node runs, and of the payload that the node gives it. */
export function checkCall(node: Node, { callee }: GraphWorld): readonly GraphIssue[] {
  const slug = calledSlug(node);
  const found = slug === null ? null : callee(slug);
  if (slug === null || found === null) return [];
  const { nodeId } = node;
  const place = {
    severity: 'error',
    nodeId,
    field: 'extra_config.workflow',
    path: ['extra_config', 'workflow'],
  } as const;
  if (found === 'missing') {
    const message = `Node '${nodeId}': workflow '${slug}' does not exist, or the workflow's owner may not see it.`;
    // The workflow may be created later, or may have been deleted after the node was stored, so a text with it can be
    // stored.
    return [{ code: 'unknown_workflow', ...place, message, canBeStored: true }];
  }
  if (found.comesBack === null) {
    const message = `Node '${nodeId}': workflow '${slug}' cannot be started: ${found.startIssue}`;
    const start: GraphIssue[] = found.startIssue === null ? [] : [{ code: 'subworkflow_start', ...place, message }];
    return [...start, ...checkPayload(node, slug, found)];
  }
  const how = found.comesBack === 'itself' ? 'this workflow itself' : `workflow '${slug}', which calls this one again`;
  return [{ code: 'subworkflow_cycle', ...place, message: `Node '${nodeId}' runs ${how}.` }];
}

/** The same check as at the start of the other workflow, as far as the config determines the payload. */
function checkPayload({ nodeId, config }: Node, slug: string, { payloadIssue }: Callee): readonly GraphIssue[] {
  const { payload } = ownConfig(config);
  // Without a payload the node's input is used, of which nothing is known.
  const issue = payload === undefined ? null : payloadIssue(partlyKnown(payload));
  if (issue === null) return [];
  const path = ['extra_config', 'payload', ...issue.path];
  const field = path.join('.');
  const message = `Node '${nodeId}', ${field}: ${issue.message} (input_schema of workflow '${slug}')`;
  return [{ code: 'subworkflow_input', severity: 'error', nodeId, field, path, isKey: issue.isKey, message }];
}
