import { type ContestedField, contestedFields, type Fields, isSame, withoutFields } from './contested-fields.ts';

/** How a record is read and changed. */
export interface SavePorts<Stored extends Fields, Changes extends object> {
  readonly read: () => Promise<Stored>;
  readonly write: (changes: Changes) => Promise<Stored>;
}

/** What became of an edit: it is stored, or a person decides first about what somebody else has changed. */
export type SaveOutcome<Stored> =
  | { readonly kind: 'saved'; readonly stored: Stored }
  | { readonly kind: 'contested'; readonly fields: readonly ContestedField[] };

/** An edit of a record. */
export interface RecordEdit<Stored extends Fields, Changes extends object> {
  /** The record with which it began. */
  readonly before: Stored;
  readonly changes: Changes;
  /** The fields of which the person has seen the other value, and keeps their own. */
  readonly kept?: readonly ContestedField[];
}

/**
 * Stores changes of a record, unless they would overwrite what somebody else has stored since the edit began. The
 * service has no condition for these requests, so the record is read right before it is changed: of two people who save
 * within the same moment, the later one still wins.
 */
export async function checkedSave<Stored extends Fields, Changes extends object>(
  { read, write }: SavePorts<Stored, Changes>,
  { before, changes, kept = [] }: RecordEdit<Stored, Changes>,
): Promise<SaveOutcome<Stored>> {
  const now = await read();
  const fields = contestedFields(changes as Fields, { before, now }).filter(
    ({ path, theirs }) => !kept.some((seen) => seen.path === path && isSame(seen.theirs, theirs)),
  );
  if (fields.length > 0) return { kind: 'contested', fields };
  if (Object.keys(changes).length === 0) return { kind: 'saved', stored: now };
  return { kind: 'saved', stored: await write(changes) };
}

/** The edit after the decision about contested fields: all of it, or without them. */
export function decidedEdit<Stored extends Fields, Changes extends object>(
  { before, changes }: RecordEdit<Stored, Changes>,
  fields: readonly ContestedField[],
  isMine: boolean,
): RecordEdit<Stored, Changes> {
  if (isMine) return { before, changes, kept: fields };
  const paths = fields.map(({ path }) => path);
  return { before, changes: withoutFields(changes, paths) as Changes };
}
