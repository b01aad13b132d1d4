import { isSameJson } from '../base/json-same.ts';
import type { SchemaIssue } from '../base/schema-issues.ts';
import type { CredentialType } from '../component/credential.ts';
import { isArray, isObject, type Json, type JsonObject, own } from '../json.ts';
import { fullMask, isSecretKey, looksMasked, maskText } from './secret-mask.ts';

/**
 * Which part of a value is secret: nothing; all texts in it; all texts, with not even the ends shown; or the texts
 * under keys that look secret.
 */
type Secrecy = 'public' | 'secret' | 'hidden' | 'by_key';

/** The secret fields. All others are public: the schemas reject unknown keys, so no other field can occur. */
const secrecies: Readonly<Record<CredentialType, ReadonlyMap<string, Secrecy>>> = {
  llm: new Map([
    ['api_key', 'secret'],
    ['custom_headers', 'secret'],
  ]),
  chat_bot: new Map([['bot_token', 'secret']]),
  git: new Map([
    ['ssh_private_key', 'hidden'],
    ['access_token', 'secret'],
    ['webhook_secret', 'secret'],
  ]),
  tool: new Map([['config', 'by_key']]),
};

function secrecyOf(type: CredentialType, field: string): Secrecy {
  return secrecies[type].get(field) ?? 'public';
}

function secrecyBelow(secrecy: Secrecy, key: string): Secrecy {
  return secrecy === 'by_key' && isSecretKey(key) ? 'secret' : secrecy;
}

/** The detail with masks in place of its secrets. */
export function maskDetail(type: CredentialType, detail: JsonObject): JsonObject {
  return mapValues(detail, (value, field) => mask(value, secrecyOf(type, field)));
}

function mask(value: Json, secrecy: Secrecy): Json {
  if (typeof value === 'string') return maskOf(value, secrecy);
  if (isArray(value)) return value.map((item) => mask(item, secrecy));
  if (isObject(value)) return mapValues(value, (item, key) => mask(item, secrecyBelow(secrecy, key)));
  return value;
}

function maskOf(text: string, secrecy: Secrecy): string {
  if (secrecy === 'secret') return maskText(text);
  return secrecy === 'hidden' && text !== '' ? fullMask : text;
}

function mapValues(object: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}

/** A detail after a change. */
export interface MergedDetail {
  readonly detail: JsonObject;
  /** The names (see `secretNames`) of the secrets that were replaced; all others are unchanged. */
  readonly given: ReadonlySet<string>;
  /** Masks that match no stored secret. If there are any, nothing may be stored. */
  readonly issues: readonly SchemaIssue[];
}

/**
 * Merges changes, already validated by their schema, into the stored detail. A secret's current mask, or `****`, leaves
 * it unchanged. Headers and the objects of a config merge key by key: an empty header and a null in a config remove
 * their key. A list in a config is one value.
 */
export function mergeDetail(type: CredentialType, stored: JsonObject, changes: JsonObject): MergedDetail {
  return merged(type, stored, changes, new Merge(true));
}

/** A new detail; a mask in it matches nothing. */
export function newDetail(type: CredentialType, detail: JsonObject): MergedDetail {
  return merged(type, {}, detail, new Merge(false));
}

function merged(type: CredentialType, stored: JsonObject, changes: JsonObject, merge: Merge): MergedDetail {
  const values = Object.entries(changes).map(([field, value]) => {
    const place = { path: [field], secrecy: secrecyOf(type, field) };
    const before = own(stored, field);
    if (field !== 'custom_headers') return [field, merge.value(before, value, place)] as const;
    return [field, merge.headers(asObject(before), asObject(value), place)] as const;
  });
  return { detail: { ...stored, ...Object.fromEntries(values) }, given: merge.given, issues: merge.issues };
}

/** The non-empty secrets of an LLM credential that are sent to its provider, by name. */
export function secretNames(detail: JsonObject): readonly string[] {
  const headers = Object.keys(asObject(own(detail, 'custom_headers')));
  const names = headers.map((header) => secretName(['custom_headers', header]));
  return own(detail, 'api_key') === '' ? names : ['api_key', ...names];
}

/** Header names are case-insensitive, so they are compared in lower case. Keys of a config are case-sensitive. */
function secretName(path: Place['path']): string {
  const name = path.join('.');
  return path[0] === 'custom_headers' ? name.toLowerCase() : name;
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly secrecy: Secrecy;
}

class Merge {
  /** In a new detail, null in a config is an ordinary value. */
  readonly #nullRemoves: boolean;
  readonly given = new Set<string>();
  readonly issues: SchemaIssue[] = [];

  constructor(nullRemoves: boolean) {
    this.#nullRemoves = nullRemoves;
  }

  value(stored: Json | undefined, given: Json, place: Place): Json {
    if (typeof given === 'string') return this.#text(stored, given, place);
    if (isArray(given)) return this.#list(stored, given, place);
    return isObject(given) ? this.#object(asObject(stored), given, place) : given;
  }

  /** Header names are case-insensitive. */
  headers(stored: JsonObject, given: JsonObject, place: Place): JsonObject {
    const headers = new Map(Object.entries(stored).map((entry) => [entry[0].toLowerCase(), entry]));
    for (const [name, value] of Object.entries(given)) {
      const lower = name.toLowerCase();
      if (value === '') headers.delete(lower);
      else headers.set(lower, [name, this.value(headers.get(lower)?.[1], value, below(place, name))]);
    }
    return Object.fromEntries(headers.values());
  }

  #text(stored: Json | undefined, given: string, { path, secrecy }: Place): Json {
    if (secrecy === 'public' || secrecy === 'by_key') return given;
    if (typeof stored === 'string' && (given === fullMask || given === maskOf(stored, secrecy))) return stored;
    if (looksMasked(given)) {
      const message = 'looks like a masked value: enter the secret itself, or omit the field';
      this.issues.push({ type: 'masked_value', path, message });
    }
    this.given.add(secretName(path));
    return given;
  }

  #object(stored: JsonObject, given: JsonObject, place: Place): JsonObject {
    const merged = new Map(Object.entries(stored));
    for (const [key, value] of Object.entries(given)) {
      if (value === null && this.#nullRemoves) merged.delete(key);
      else merged.set(key, this.value(merged.get(key), value, below(place, key)));
    }
    return Object.fromEntries(merged);
  }

  /** The masks of a list can be matched to its secrets only if the list has not changed. */
  #list(stored: Json | undefined, given: readonly Json[], place: Place): Json {
    if (isArray(stored) && isSameJson(given, mask(stored, place.secrecy))) return stored;
    return given.map((item, index) => this.value(undefined, item, { ...place, path: [...place.path, index] }));
  }
}

function below({ path, secrecy }: Place, key: string): Place {
  return { path: [...path, key], secrecy: secrecyBelow(secrecy, key) };
}
