import { exactJson, exactJsonText } from '@millrace/core/editing';
import type { CredentialType } from '../api/credentials.ts';
import { type CredentialField, credentialFields, customScheme, isSecret, keyOf } from './fields.ts';

type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

/** The texts of the form. A secret that has no text is unchanged: its stored value is not known here. */
export type FormValues = Readonly<Record<string, string>>;

/** The values of a form for a new credential, or for the masked detail of a stored one. */
export function valuesOf(type: CredentialType, stored: JsonObject | null): FormValues {
  const known = Object.assign({}, ...credentialFields[type].map((field) => initial(field, stored))) as FormValues;
  return type === 'tool' ? { ...known, 'config.scheme': schemeOf(stored) } : known;
}

function initial(field: CredentialField, stored: JsonObject | null): FormValues {
  const value = stored === null ? undefined : valueAt(stored, field.path);
  if (isSecret(field)) return typeof value === 'string' && value !== '' ? {} : { [keyOf(field)]: '' };
  return { [keyOf(field)]: value === undefined ? (defaultOf(field) ?? '') : textOf(field, value) };
}

function defaultOf({ kind, choices, isRequired, placeholder }: CredentialField): string | undefined {
  if (kind === 'choice') return choices?.[0]?.[0];
  if (kind === 'json') return '{}';
  return isRequired && placeholder === 'git_host_a' ? placeholder : undefined;
}

function textOf({ kind }: CredentialField, value: Json): string {
  if (kind === 'headers')
    return Object.entries(value as JsonObject)
      .map(([name, text]) => `${name}: ${String(text)}`)
      .join('\n');
  if (kind === 'hosts') return Array.isArray(value) ? value.join(', ') : '';
  return kind === 'json' ? exactJsonText(value, 2) : String(value);
}

/** A config with other keys than the form has is edited as JSON, so that the form loses none of them. */
function schemeOf(stored: JsonObject | null): string {
  if (stored === null) return 'bearer';
  const config = valueAt(stored, ['config']);
  const scheme = valueAt(stored, ['config', 'scheme']);
  const values = { 'config.scheme': typeof scheme === 'string' ? scheme : customScheme };
  const names = shownFields('tool', values).map(({ path }) => path[1]);
  const isKnown = isObject(config) && Object.keys(config).every((key) => names.includes(key));
  return isKnown && scheme !== undefined ? values['config.scheme'] : customScheme;
}

/** The fields that the form has with these values. */
export function shownFields(type: CredentialType, values: FormValues): readonly CredentialField[] {
  return credentialFields[type].filter(({ onlyIf }) => {
    if (onlyIf === undefined) return true;
    const [key, allowed] = onlyIf;
    return allowed.includes(values[key] ?? '');
  });
}

/** By field, why its text cannot be sent; empty if all can. */
export function problemsOf(type: CredentialType, values: FormValues): Readonly<Record<string, string>> {
  return Object.fromEntries(
    shownFields(type, values).flatMap((field) => {
      const text = values[keyOf(field)];
      const problem = text === undefined ? null : problemOf(field, text);
      return problem === null ? [] : [[keyOf(field), problem]];
    }),
  );
}

function problemOf({ kind, isRequired, label }: CredentialField, text: string): string | null {
  if (isRequired && text.trim() === '') return `Enter a value for “${label}”.`;
  if (kind === 'json') return isObject(parsed(text)) ? null : 'Enter a JSON object.';
  if (kind !== 'headers') return null;
  const bad = lines(text).find((line) => !/^[^:\s]+:/.test(line));
  return bad === undefined ? null : `Write “Name: value” in each line, not “${bad}”.`;
}

/** The detail for the values of a form; a secret without a text is as in `stored`, where it is a mask. */
export function detailOf(type: CredentialType, values: FormValues, stored: JsonObject = {}): JsonObject {
  const isCustom = values['config.scheme'] === customScheme;
  return shownFields(type, values).reduce<JsonObject>((detail, field) => {
    if (isCustom && keyOf(field) === 'config.scheme') return detail;
    const text = values[keyOf(field)];
    return withValue(detail, field.path, text === undefined ? valueAt(stored, field.path) : sent(field, text));
  }, {});
}

function sent({ kind }: CredentialField, text: string): Json {
  if (kind === 'headers') return Object.fromEntries(lines(text).map(header));
  if (kind === 'hosts') return text.split(/[\s,]+/).filter((host) => host !== '');
  if (kind === 'json') return parsed(text);
  // SSH programs reject a private key whose last line has no end.
  if (kind === 'private_key') return text.trim() === '' ? '' : `${text.trim()}\n`;
  return text.trim();
}

/** The fields that differ from the stored, masked detail, as PATCH expects them. Null removes a key of a config. */
export function changesOf(type: CredentialType, values: FormValues, stored: JsonObject): JsonObject {
  const changes = Object.entries(detailOf(type, values, stored)).flatMap(([field, value]) => {
    const before = stored[field];
    if (JSON.stringify(before) === JSON.stringify(value)) return [];
    if (field === 'custom_headers') return [[field, patch(before, value, '')]];
    return [[field, isObject(before) ? patch(before, value, null) : value]];
  });
  return Object.fromEntries(changes) as JsonObject;
}

function patch(before: Json, after: Json, removed: Json): Json {
  if (!(isObject(before) && isObject(after))) return after;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value));
  return {
    ...Object.fromEntries(gone.map((key) => [key, removed])),
    ...Object.fromEntries(changed.map(([key, value]) => [key, patch(before[key], value, removed)])),
  };
}

function header(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function lines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function parsed(text: string): Json {
  try {
    return exactJson(text);
  } catch {
    return undefined;
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path in a detail; undefined if there is none. */
export function valueAt(detail: JsonObject, path: readonly string[]): Json {
  return path.reduce<Json>((at, key) => (isObject(at) ? at[key] : undefined), detail);
}

function withValue(detail: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return { ...detail, [key]: value };
  const inner = detail[key];
  return { ...detail, [key]: withValue(isObject(inner) ? inner : {}, rest, value) };
}
