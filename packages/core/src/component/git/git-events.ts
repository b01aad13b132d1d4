import { isObject, type Json, type JsonObject } from '../../json.ts';
import { matchesGlob } from './glob.ts';

/** The header, in lower case, in which each git host names the event of a delivery. */
export const gitEventHeaders = { git_host_a: 'x-github-event', git_host_b: 'x-gitlab-event' } as const;
export type GitHost = keyof typeof gitEventHeaders;

/** The events that a git trigger starts for. */
export interface GitEventFilter {
  /** Names of events; `*` is any. */
  readonly events: readonly string[];
  /** Patterns of branches; none of them is any branch. */
  readonly branches: readonly string[];
}

export const defaultGitEvents: readonly string[] = ['push'];

/** The name of an event in one form for both hosts: `Merge Request Hook` is `merge_request`. */
export function gitEventName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/ hook$/, '')
    .replaceAll(' ', '_');
}

/** Whether a trigger starts for this event. Patterns of branches match only events that are about a branch. */
export function isWantedGitEvent({ events, branches }: GitEventFilter, event: string, payload: Json): boolean {
  if (!events.some((wanted) => wanted === '*' || gitEventName(wanted) === event)) return false;
  if (branches.length === 0) return true;
  const branch = isObject(payload) ? branchOf(payload) : null;
  return branch !== null && branches.some((pattern) => matchesGlob(pattern, branch));
}

/** The branch of an event: of a push the one that is pushed, of a merge request the one that it is merged into. */
function branchOf(payload: JsonObject): string | null {
  const attributes = objectAt(payload, 'object_attributes');
  const target =
    textAt(objectAt(objectAt(payload, 'pull_request'), 'base'), 'ref') ??
    textAt(attributes, 'target_branch') ??
    textAt(objectAt(payload, 'merge_request'), 'target_branch');
  if (target !== null) return target;
  const ref = textAt(payload, 'ref');
  if (ref !== null) return branchOfRef(ref, payload.ref_type === 'tag' || payload.tag === true);
  const built = textAt(attributes, 'ref');
  if (built !== null) return branchOfRef(built, attributes.tag === true);
  const checked = ['workflow_run', 'check_suite', 'check_run'].map((key) => objectAt(payload, key));
  const heads = [...checked, objectAt(objectAt(payload, 'check_run'), 'check_suite')];
  return heads.map((head) => textAt(head, 'head_branch')).find((head) => head !== null) ?? null;
}

function branchOfRef(ref: string, isTag: boolean): string | null {
  if (ref.startsWith('refs/heads/')) return ref.slice('refs/heads/'.length);
  return isTag || ref.startsWith('refs/') ? null : ref;
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

function textAt(value: JsonObject, key: string): string | null {
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof found === 'string' ? found : null;
}
