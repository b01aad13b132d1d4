import { createHash } from 'node:crypto';
import { type Json, jsonPieces, jsonSize, parsedJson, type SlicedWork } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import { Damage } from '../database/failures.ts';

/**
 * Values with more characters of JSON are stored separately, so that journals stay short and equal values are stored
 * once.
 */
export const largeValue = 262_144;

/** The hash under which a value is stored, and the path at which it was. */
export type BlobRef = readonly [hash: string, ...path: string[]];

/** A fact's data without its large values, and where they were. */
interface Cut {
  readonly rest: object;
  readonly refs: readonly BlobRef[];
}

/** The JSON of a value, and its hash. */
interface WrittenValue {
  readonly json: string;
  readonly hash: string;
}

/** The store of large values. */
export interface Blobs {
  /**
   * Writes the JSON of the large values of facts, so that `cut` only has to store it: that takes up to half a second in
   * one piece. Null if no value is large.
   */
  write(facts: readonly object[]): SlicedWork<void> | null;
  /**
   * Stores the large values of a fact's data separately. A value that several facts of one append share is written once:
   * its hash is in `stored`.
   */
  cut(executionId: string, data: object, stored: Map<unknown, string>): Cut;
  /** Reverses `cut`: a value is read once for all places, and cached in `known`. */
  fill(data: object, refs: readonly BlobRef[], known: KnownValues): SlicedWork<object>;
}

/** The values that were read so far. */
export interface KnownValues {
  readonly values: Map<string, Json>;
  /** The characters that may still be parsed in this slice. */
  unparsed: number;
}

/** Fields whose own fields are values: the ports of a step. */
const containers: ReadonlySet<string> = new Set(['outputs']);

/** Prepares the statements for large values, which are written in the transaction of their fact. */
export function prepareBlobs(connection: Connection): Blobs {
  const insert = connection.prepare<[string, string]>(
    'INSERT INTO blobs (hash, json) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const use = connection.prepare<[string, string]>(
    'INSERT INTO blob_uses (execution_id, hash) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const find = connection.prepare<[string], { json: string }>('SELECT json FROM blobs WHERE hash = ?');

  /** Values that were written ahead of their transaction, which takes them out. */
  const ahead = new WeakMap<object, WrittenValue>();

  function take(value: unknown): WrittenValue | null {
    const written = isObject(value) ? ahead.get(value) : undefined;
    if (written !== undefined) {
      ahead.delete(value as object);
      return written;
    }
    const json = JSON.stringify(value) as string | undefined;
    if (json === undefined || json.length <= largeValue) return null;
    return { json, hash: createHash('sha256').update(json).digest('hex') };
  }

  /** Null if the value is not large. */
  function storeLarge(executionId: string, value: unknown): string | null {
    const written = take(value);
    if (written === null) return null;
    insert.run(written.hash, written.json);
    use.run(executionId, written.hash);
    return written.hash;
  }

  function* writeAll(values: Iterable<object>): SlicedWork<void> {
    for (const value of values) {
      ahead.set(value, yield* writing(value as Json));
    }
  }

  function* read(hash: string, known: KnownValues): SlicedWork<Json> {
    const cached = known.values.get(hash);
    if (cached !== undefined) return cached;
    const row = find.get(hash);
    // A reference and its value are written and deleted together.
    if (row === undefined) throw new Damage(`The value ${hash}, which the journal refers to,`);
    const value = yield* parsedJson(row.json);
    known.values.set(hash, value);
    known.unparsed -= row.json.length;
    return value;
  }

  return {
    write(facts) {
      const values = new Set(facts.flatMap(largeIn));
      return values.size === 0 ? null : writeAll(values);
    },
    cut(executionId, data, stored) {
      const refs: BlobRef[] = [];
      const cutFields = (fields: object, path: readonly string[]): object =>
        mapFields(fields, (key, value) => {
          const at = [...path, key];
          if (path.length === 0 && containers.has(key)) return cutFields(value as object, at);
          const hash = stored.get(value) ?? storeLarge(executionId, value);
          if (hash === null) return value;
          stored.set(value, hash);
          refs.push([hash, ...at]);
          return null;
        });
      return { rest: cutFields(data, []), refs };
    },
    *fill(data, refs, known) {
      let filled = data;
      for (const [hash, ...path] of refs) filled = put(filled, path, yield* read(hash, known));
      return filled;
    },
  };
}

/** The large objects and lists in a fact. Texts are written fast enough. */
function largeIn(fact: object): readonly object[] {
  const values = Object.entries(fact).flatMap(([key, value]: [string, unknown]) =>
    containers.has(key) && isObject(value) ? Object.values(value) : [value],
  );
  return values.filter(isObject).filter((value) => jsonSize(value as Json, largeValue) > largeValue);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function* writing(value: Json): SlicedWork<WrittenValue> {
  const pieces: string[] = [];
  const hash = createHash('sha256');
  for (const piece of jsonPieces(value)) {
    hash.update(piece);
    pieces.push(piece);
    yield;
  }
  return { json: pieces.join(''), hash: hash.digest('hex') };
}

function mapFields(fields: object, change: (key: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(key, value)]));
}

/** Sets a value at a path whose fields all exist, so their order is unchanged. */
function put(fields: object, path: readonly string[], value: Json): object {
  const [first, ...others] = path;
  return mapFields(fields, (key, old) => {
    if (key !== first) return old;
    return others.length === 0 ? value : put(old as object, others, value);
  });
}
