import { isObject, isSameJson, type Json, type JsonObject } from '@millrace/core/editing';

/** A record of the service, or changes of one. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field that somebody else changed after an edit of it began. Undefined means that it is not set. */
export interface ContestedField {
  /** The keys that lead to it, joined by dots. */
  readonly path: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** The fields of a request that differ from a record. */
export function changedFields<Changes extends object>(changes: Changes, before: object): Partial<Changes> {
  const entries = Object.entries(changes).filter(([key, value]) => !isSame(value, (before as Fields)[key]));
  return Object.fromEntries(entries) as Partial<Changes>;
}

/**
 * The fields of a request that would overwrite what somebody else has stored since its edit began. An object in the
 * request changes only its own keys.
 * @param before the record with which the edit began
 */
export function contestedFields(
  changes: Fields,
  { before, now }: { readonly before: Fields; readonly now: Fields },
  outer = '',
): readonly ContestedField[] {
  return Object.entries(changes).flatMap(([key, mine]) => {
    const [old, theirs] = [before[key], now[key]];
    if (isSame(old, theirs) || isSame(mine, theirs)) return [];
    const path = `${outer}${key}`;
    if (isRecord(mine) && isRecord(old) && isRecord(theirs))
      return contestedFields(mine, { before: old, now: theirs }, `${path}.`);
    return [{ path, mine, theirs }];
  });
}

/** The changes without the fields at some paths. */
export function withoutFields<Changes extends object>(
  changes: Changes,
  paths: readonly string[],
  outer = '',
): Partial<Changes> {
  const kept = Object.entries(changes).flatMap(([key, value]): [string, unknown][] => {
    const path = `${outer}${key}`;
    if (paths.includes(path)) return [];
    if (!isRecord(value) || !paths.some((one) => one.startsWith(`${path}.`))) return [[key, value]];
    const inner = withoutFields(value, paths, `${path}.`);
    return Object.keys(inner).length === 0 ? [] : [[key, inner]];
  });
  return Object.fromEntries(kept) as Partial<Changes>;
}

function isRecord(value: unknown): value is JsonObject {
  return value !== undefined && isObject(value as Json);
}

/** Whether two values are the same. One that is not set is null or missing. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return (one ?? null) === (other ?? null);
  return isSameJson(one as Json, other as Json);
}
