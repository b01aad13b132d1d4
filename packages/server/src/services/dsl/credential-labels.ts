import type { Credential } from '@millrace/core';
import type { CredentialStore } from '../../store/credentials.ts';

type Named = Pick<Credential, 'id' | 'name'>;
type Names = Pick<CredentialStore, 'named' | 'withNames' | 'names'>;

/**
 * The ids of the credentials that a text names. Null for a name that several credentials share: each of those has a label
 * with its id, which exported texts use. If a name is unknown, the result has all other names too, to suggest one.
 */
export async function credentialIds(
  { credentials }: { readonly credentials: Names },
  texts: readonly string[],
): Promise<Map<string, number | null>> {
  if (texts.length === 0) return new Map();
  const parts = texts.map((text) => partsOf(text));
  const named = await credentials.withNames([...texts, ...parts.map(({ name }) => name)]);
  const labelled = await credentials.named(parts.flatMap(({ id }) => id ?? []));
  const ids = idsByName(together(named, labelled));
  if (texts.every((text) => ids.has(text))) return ids;
  return new Map([...idsByName(await credentials.names()), ...ids]);
}

/** The name of each of these credentials in a text. */
export async function credentialLabels(
  { credentials }: { readonly credentials: Names },
  ids: readonly number[],
): Promise<Map<number, string>> {
  const found = await credentials.named(ids);
  const known = idsByName(together(found, await credentials.withNames(found.map(({ name }) => name))));
  return new Map(found.map((one) => [one.id, known.get(one.name) === null ? labelOf(one) : one.name]));
}

function together(some: readonly Named[], others: readonly Named[]): readonly Named[] {
  return [...new Map([...some, ...others].map((one) => [one.id, one])).values()];
}

/** Null for a name that several credentials share. */
function idsByName(credentials: readonly Named[]): Map<string, number | null> {
  const ids = new Map<string, number | null>();
  for (const { id, name } of credentials) ids.set(name, ids.has(name) ? null : id);
  // A credential whose name equals such a label takes precedence.
  for (const credential of credentials) {
    const label = labelOf(credential);
    if (ids.get(credential.name) === null && !ids.has(label)) ids.set(label, credential.id);
  }
  return ids;
}

function labelOf({ id, name }: Named): string {
  return `${name} (#${id})`;
}

/** What a text would name if it were a label. */
function partsOf(text: string): { readonly name: string; readonly id: number | null } {
  const [, name, id] = /^(.*) \(#(\d{1,15})\)$/s.exec(text) ?? [];
  return { name: name ?? text, id: id === undefined ? null : Number(id) };
}
