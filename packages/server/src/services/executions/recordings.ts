import { Problem, type User, type Workflow } from '@millrace/core';
import { FairTurns } from '../../ground/fair-turns.ts';
import type { OwnedExecution } from '../../store/executions.ts';
import type { NewRecording, RecordingSummary, StoredExchange } from '../../store/recordings.ts';
import { maxExchanges, maxRecordingBytes } from '../../store/recordings.ts';
import type { Store } from '../../store/store.ts';
import { isMember, standingOf } from '../access/access.ts';
import { type ExecutionAccessStore, isExecutionId, loadExecution } from './execution-access.ts';

/** The parts of the store that recordings are read from. */
export type RecordingAccessStore = ExecutionAccessStore & Pick<Store, 'recordings'>;

/** How a person asks for a run with a recording; a text is the id of an execution. */
export type AskedRecording = Extract<NewRecording, { readonly kind: 'record' | 'given' }> | string;

/** Bytes from which a recording is read alone: as a value, it takes many times as much memory. */
const largeBytes = 131_072;

/** Large recordings that wait to be read. Each takes a fraction of a second. */
const maxRecordingsWaiting = 100;

/** Who reads a recording. */
interface Reader {
  readonly user: Pick<User, 'id'>;
  /** Aborted when the reader does not wait any more. */
  readonly gone: AbortSignal;
}

/** The recordings of executions, for users. */
export interface Recordings {
  /**
   * Presents what an execution and those that it started exchanged with the outside so far. Large ones are read one
   * after the other, so that they are not in memory at the same time; users take turns.
   * @throws Problem `conflict` for one that was not recorded, and for a recording that became too large; `members_only` if it includes executions that the user may not read; `overloaded` if too many are waiting or the reader is gone
   */
  show<Shown>(
    execution: OwnedExecution,
    reader: Reader,
    present: (exchanges: readonly StoredExchange[]) => Promise<Shown>,
  ): Promise<Shown>;
}

export function createRecordings({ store }: { readonly store: RecordingAccessStore }): Recordings {
  const reads = new FairTurns({
    atOnce: 1,
    waiting: maxRecordingsWaiting,
    message: 'Too many large recordings are being read. Try again in a moment.',
  });
  return {
    async show(execution, { user, gone }, present) {
      const { bytes } = await checkReadable(store, { user, execution }, store.recordings.find(execution.id));
      const read = async () => {
        const recording = await store.recordings.read(execution.id);
        // It may have grown since.
        await checkReadable(store, { user, execution }, recording);
        return present(recording?.exchanges ?? []);
      };
      return bytes < largeBytes ? read() : reads.take({ id: String(user.id), isKnown: true }, read, gone);
    },
  };
}

/** The recording of a run that is about to start. @throws Problem `invalid` for an execution without one */
export async function recordingToStart(
  store: RecordingAccessStore,
  user: Pick<User, 'id'>,
  { workflow, asked }: { readonly workflow: Pick<Workflow, 'ownerId'>; readonly asked: AskedRecording | null },
): Promise<NewRecording | undefined> {
  if (asked === null) return undefined;
  // Workflows of the owner that are started by this one store what follows from the answers, too.
  const isGiven = typeof asked === 'string' || asked.kind === 'given';
  if (isGiven && workflow.ownerId !== user.id)
    throw new Problem('owner_only', 'Only the owner of the workflow may run it with recorded answers.');
  if (typeof asked !== 'string') return checkedCount(asked);
  try {
    const { execution } = isExecutionId(asked) ? await loadExecution(store, user, asked) : { execution: null };
    if (execution === null) throw new Problem('not_found', 'Execution not found.');
    await checkReadable(store, { user, execution }, store.recordings.find(execution.id));
  } catch (error) {
    if (!(error instanceof Problem) || typeof error.detail !== 'string') throw error;
    if (error.kind === 'unavailable') throw error;
    throw new Problem('invalid', [{ type: 'value_error', loc: ['body', 'cassette'], msg: error.detail }]);
  }
  return { kind: 'copied', from: asked };
}

function checkedCount(asked: Exclude<AskedRecording, string>): NewRecording {
  const count = asked.kind === 'given' ? asked.exchanges.length : 0;
  if (count <= maxExchanges) return asked;
  const msg = `The cassette has ${count} exchanges, but at most ${maxExchanges} are allowed.`;
  throw new Problem('invalid', [{ type: 'value_error', loc: ['body', 'cassette'], msg }]);
}

/** @returns the recording, if the user may read it */
async function checkReadable(
  store: RecordingAccessStore,
  { user, execution }: { readonly user: Pick<User, 'id'>; readonly execution: OwnedExecution },
  recording: RecordingSummary | null,
): Promise<RecordingSummary> {
  if (recording === null) throw new Problem('conflict', notRecorded(execution));
  if (recording.isCut) throw new Problem('conflict', tooLarge);
  // Only runs of the same owner are recorded together.
  if (execution.ownerId !== user.id) await checkMember(store, user, recording);
  return recording;
}

function notRecorded({ recordedIn }: OwnedExecution): string {
  if (recordedIn === null) return "The execution was not recorded: start it with 'record': true.";
  return `The execution is a part of the recording of execution ${recordedIn.id}.`;
}

const tooLarge =
  `The recording of the execution is incomplete and was deleted: it had more than ${maxExchanges} exchanges or ` +
  `${maxRecordingBytes / 1_048_576} MiB.`;

/** The user may read the execution itself; the rest may belong to workflows that are not shared with them. */
async function checkMember(
  store: RecordingAccessStore,
  user: Pick<User, 'id'>,
  { workflowIds }: RecordingSummary,
): Promise<void> {
  for (const id of workflowIds) {
    const workflow = await store.workflows.byId(id);
    const standing = workflow === null ? null : await standingOf(store, user, workflow);
    if (isMember(standing)) continue;
    throw new Problem('members_only', 'The recording includes executions of workflows that are not shared with you.');
  }
}
