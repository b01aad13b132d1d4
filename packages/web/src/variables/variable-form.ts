import type { Schemas } from '@millrace/client';
import { exactJson, exactJsonText } from '@millrace/core/editing';
import type { Variable } from '../api/settings/variables.ts';

/** What the form of a variable contains. */
export interface VariableForm {
  readonly name: string;
  /** Text that is not JSON stands for itself. Null while the stored secret stays. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** Separated by commas or line breaks. */
  readonly hosts: string;
}

/** The form of a stored variable, or of a new one. */
export function formOf(variable: Variable | null): VariableForm {
  if (variable === null) return { name: '', value: '', isSecret: false, hosts: '' };
  const { name, is_secret: isSecret, allowed_hosts: hosts = [] } = variable;
  return { name, value: isSecret ? null : textOf(variable.value), isSecret, hosts: hosts.join(', ') };
}

/** A value as it is typed: a text without quotes, unless it would be read as something else. */
export function textOf(value: Variable['value']): string {
  if (typeof value !== 'string') return exactJsonText(value);
  return typedValue(value) === value ? value : JSON.stringify(value);
}

/** A typed value: JSON, or else the text itself. */
export function typedValue(text: string): Schemas['Json'] {
  try {
    return exactJson(text);
  } catch {
    return text;
  }
}

function hostsOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((host) => host.trim())
    .filter((host) => host !== '');
}

/** The request that creates a variable. */
export function creationOf({ name, value, isSecret, hosts }: VariableForm): Schemas['NewVariable'] {
  const text = value ?? '';
  if (!isSecret) return { name: name.trim(), value: typedValue(text) };
  return { name: name.trim(), value: text, is_secret: true, allowed_hosts: hostsOf(hosts) };
}

/** The request that changes a variable: only what differs. */
export function changeOf(before: Variable, form: VariableForm): Schemas['VariableChanges'] {
  const old = formOf(before);
  const { value, isSecret, hosts } = form;
  const isOther = isSecret !== old.isSecret;
  const hostsChanged = isSecret && hostsOf(hosts).join() !== hostsOf(old.hosts).join();
  return {
    ...(value !== null && (value !== old.value || isOther) && { value: isSecret ? value : typedValue(value) }),
    ...(isOther && { is_secret: isSecret }),
    ...(hostsChanged && { allowed_hosts: hostsOf(hosts) }),
  };
}
