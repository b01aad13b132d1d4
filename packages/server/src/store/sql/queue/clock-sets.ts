import { isObject, type Json } from '@millrace/core';
import type { RunClockSet } from '../../executions.ts';
import { readJson } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';

const sets = `CASE WHEN json_valid(clock_sets) THEN clock_sets ELSE '[]' END`;

/**
 * The column with another change: `@byMs` after the fact `afterSeq`. Changes after the same fact are one, so that a run
 * that waits has one entry, however often the clock is set.
 */
function withChange(afterSeq: string): string {
  return `CASE WHEN json_extract(${sets}, '$[#-1].afterSeq') = ${afterSeq}
    THEN json_replace(${sets}, '$[#-1].byMs', json_extract(${sets}, '$[#-1].byMs') + @byMs)
    ELSE json_insert(${sets}, '$[#]', json_object('afterSeq', ${afterSeq}, 'byMs', @byMs)) END`;
}

interface OwnChange extends RunClockSet {
  readonly id: string;
}

/** Records a change of the clock for one run. It does not count towards the run's time limit. */
export function prepareOwnClockSet(connection: Connection): (change: OwnChange) => void {
  const record = connection.prepare<[OwnChange]>(
    `UPDATE executions SET unowned_ms = unowned_ms + @byMs, clock_sets = ${withChange('@afterSeq')} WHERE id = @id`,
  );
  return (change) => void record.run(change);
}

/** Records a change of the clock for every run that has begun and has no owner. */
export function prepareClockSet(connection: Connection): (byMs: number) => void {
  // The time since which a run has had no owner is one of the old clock, too.
  const shifted = `unowned_ms = unowned_ms + @byMs, clock_sets = ${withChange('last_seq')},
    lease_until = coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', lease_until, @by), lease_until)`;
  const records = [
    `UPDATE executions INDEXED BY executions_parked SET ${shifted} WHERE (status = 'waiting' OR status = 'interrupted')`,
    `UPDATE executions INDEXED BY executions_pending SET ${shifted} WHERE status = 'pending' AND started_at IS NOT NULL`,
  ].map((sql) => connection.prepare<[{ byMs: number; by: string }]>(sql));
  return (byMs) => {
    for (const record of records) record.run({ byMs, by: `${(byMs / 1000).toFixed(3)} seconds` });
  };
}

/** The changes in the column. A damaged text has none: then some waits of the run end earlier or later. */
export function clockSetsOf(text: string | null): readonly RunClockSet[] {
  return readJson(text, areSets, null) ?? [];
}

type Sets = Json & readonly RunClockSet[];

function areSets(value: Json): value is Sets {
  const isSet = (entry: Json): boolean =>
    isObject(entry) && typeof entry.afterSeq === 'number' && typeof entry.byMs === 'number';
  return Array.isArray(value) && value.every(isSet);
}
