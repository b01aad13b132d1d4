import { z } from 'zod';
import type { SchemaIssue } from '../base/schema-issues.ts';
import { fullMask, looksMasked, maskText } from '../credentials/secret-mask.ts';
import { allowedHosts } from '../credentials/tool-auth.ts';
import type { Json } from '../json.ts';

/** A value that expressions read as `vars.<name>`: of one workflow, or of the instance. */
export interface Variable {
  readonly name: string;
  /** For a secret variable the mask. */
  readonly value: Json;
  readonly isSecret: boolean;
  /** The hosts to which a secret may be sent; empty for a variable that is not secret. */
  readonly allowedHosts: readonly string[];
}

/** The parts of a variable that checks of workflows use. */
export type VariableName = Pick<Variable, 'name' | 'isSecret'>;

/**
 * A name that an expression can contain after `vars.`. At most 100 characters, so that an error message can quote it.
 */
export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be 1 to 100 letters, digits or _, and not begin with a digit');

/** The same limit as for a state value. Larger values can be stored in another service. */
const maxVariableLength = 65_536;
/** Longer than any token in use: many servers reject headers over about 8 KiB. */
const maxSecretLength = 8192;

/** The fields of a request; null and absent mean the same. */
export interface VariableChange {
  readonly value?: Json | undefined;
  readonly isSecret?: boolean | undefined;
  readonly allowedHosts?: readonly string[] | null | undefined;
}

/** A variable to store. `value` of a secret is its plain text; null means that the stored value is unchanged. */
export type ChangedVariable =
  | { readonly isSecret: false; readonly value: Json }
  | { readonly isSecret: true; readonly value: string | null; readonly allowedHosts: readonly string[] };

type Checked = { readonly variable: ChangedVariable } | { readonly issues: readonly SchemaIssue[] };

/** A new variable, or its issues. */
export function newVariable(change: VariableChange): Checked {
  return changedVariable(null, change);
}

/**
 * A variable after a change, or the issues of the change. Sending the mask back leaves the secret unchanged. A secret
 * cannot become readable, and cannot be sent to further hosts, unless its value is given again.
 */
export function changedVariable(before: Variable | null, change: VariableChange): Checked {
  const isSecret = change.isSecret ?? before?.isSecret ?? false;
  const issues = isSecret ? secretIssues(before, change) : plainIssues(before, change);
  if (issues.length > 0) return { issues };
  const given = givenValue(before, change);
  if (!isSecret) return { variable: { isSecret, value: given ?? before?.value ?? null } };
  const hosts = change.allowedHosts ?? before?.allowedHosts ?? [];
  const value = given ?? (before?.isSecret === true ? null : (before?.value ?? null));
  return { variable: { isSecret, value: value as string | null, allowedHosts: hosts } };
}

/** The value that the API shows: the mask of a secret. */
export function shownValue(variable: { readonly isSecret: boolean; readonly value: Json }): Json {
  return variable.isSecret ? maskText(String(variable.value)) : variable.value;
}

/** The new value; undefined if it is the mask, so that the value is unchanged. */
function givenValue(before: Variable | null, { value }: VariableChange): Json | undefined {
  const isMask = before?.isSecret === true && (value === fullMask || value === before.value);
  return isMask ? undefined : value;
}

function plainIssues(before: Variable | null, change: VariableChange): readonly SchemaIssue[] {
  const given = givenValue(before, change);
  const issues: SchemaIssue[] = [];
  if ((change.allowedHosts ?? []).length > 0)
    issues.push(issue('allowed_hosts', 'is only for secret variables: set is_secret, or omit it'));
  if (given === undefined && before === null) issues.push(issue('value', 'is required'));
  if (given === undefined && before?.isSecret === true)
    issues.push(issue('value', 'is required: a secret value is never shown, so enter the new value'));
  if (given !== undefined && JSON.stringify(given).length > maxVariableLength)
    issues.push(issue('value', `must have at most ${maxVariableLength} characters as JSON`));
  return issues;
}

function secretIssues(before: Variable | null, change: VariableChange): readonly SchemaIssue[] {
  const given = givenValue(before, change);
  const secret = given ?? (before?.isSecret === true ? undefined : before?.value);
  const issues: SchemaIssue[] = [];
  if (secret === undefined && before === null) issues.push(issue('value', 'is required'));
  if (secret !== undefined && (typeof secret !== 'string' || secret === '' || secret.length > maxSecretLength))
    issues.push(issue('value', `must be a text of 1 to ${maxSecretLength} characters in a secret variable`));
  if (typeof given === 'string' && looksMasked(given))
    issues.push(issue('value', 'looks like a masked value: enter the secret itself, or omit the field'));
  return [...issues, ...hostIssues(before, change, given)];
}

function hostIssues(before: Variable | null, change: VariableChange, given: Json | undefined): readonly SchemaIssue[] {
  const hosts = change.allowedHosts ?? before?.allowedHosts ?? [];
  const parsed = allowedHosts.safeParse(hosts);
  if (hosts.length === 0)
    return [issue('allowed_hosts', 'is required for a secret variable: the hosts that it may be sent to')];
  if (!parsed.success) return [issue('allowed_hosts', parsed.error.issues[0]?.message ?? 'is not a list of hosts')];
  if (before?.isSecret !== true || given !== undefined) return [];
  const added = hosts.find((host) => !before.allowedHosts.includes(host));
  return added === undefined
    ? []
    : [
        issue(
          'allowed_hosts',
          `adds '${added}': enter the value again, because a secret is only sent to the hosts it was entered for`,
        ),
      ];
}

function issue(field: string, message: string): SchemaIssue {
  return { type: 'value_error', path: [field], message };
}
