import { policyKeys, retryKeys } from '../component/policies.ts';
import { edgeDraft } from '../graph/graph-fields.ts';
import { headerKeys } from './header.ts';
import { commonKeys, structureKeys } from './node-keys.ts';

/** Too general for a hint: on an edge they mean something else. */
const general: ReadonlySet<string> = new Set(['name', 'slug', 'description']);
const ofWorkflow: ReadonlySet<string> = new Set(headerKeys.filter((key) => !general.has(key)));
const ofEdge: ReadonlySet<string> = new Set(Object.keys(edgeDraft.shape));
const ofNode: ReadonlySet<string> = new Set([...commonKeys, ...structureKeys, 'prompt', 'credential']);

/** Where a key of a policy belongs that is not on a node; empty for other keys. */
function placeOfPolicy(key: string): string {
  if (policyKeys.includes(key)) return "It belongs on a node, under 'policies'.";
  return retryKeys.includes(key) ? "It belongs on a node, in 'retry', under 'policies'." : '';
}

/** Where a key belongs that an edge does not have; empty if it is not known anywhere. */
export function placeFromEdge(key: string): string {
  if (ofWorkflow.has(key)) return 'It belongs to the workflow, at the top level.';
  return placeOfPolicy(key) || (ofNode.has(key) ? 'It belongs on a node.' : '');
}

/** Where a key belongs that the workflow itself does not have; empty if it is not known anywhere. */
export function placeFromWorkflow(key: string): string {
  if (ofEdge.has(key)) return 'It belongs on an edge.';
  return placeOfPolicy(key) || (ofNode.has(key) ? 'It belongs on a node.' : '');
}
