import { Problem, type User } from '@millrace/core';
import type { OwnedExecution } from '../../store/executions.ts';
import type { NewRecording, Recording, StoredExchange } from '../../store/recordings.ts';
import { maxExchanges, maxRecordingBytes } from '../../store/recordings.ts';
import type { Store } from '../../store/store.ts';
import { isMember, standingOf } from '../access/access.ts';
import { type ExecutionAccessStore, isExecutionId, loadExecution } from './execution-access.ts';

/** The parts of the store that recordings are read from. */
export type RecordingAccessStore = ExecutionAccessStore & Pick<Store, 'recordings'>;

/** How a person asks for a run with a recording; a text is the id of an execution. */
export type AskedRecording = Extract<NewRecording, { readonly kind: 'record' | 'given' }> | string;

/** The recordings of executions, for users. */
export interface Recordings {
  /**
   * What an execution and those that it started exchanged with the outside so far.
   * @throws Problem `conflict` for one that was not recorded, and for a recording that became too large; `members_only` if it includes executions that the user may not read
   */
  read(user: Pick<User, 'id'>, execution: OwnedExecution): Promise<readonly StoredExchange[]>;
}

export function createRecordings({ store }: { readonly store: RecordingAccessStore }): Recordings {
  return { read: async (user, execution) => (await readRecording(store, user, execution)).exchanges };
}

/** The recording of a run that is about to start. @throws Problem `invalid` for an execution without one */
export async function recordingToStart(
  store: RecordingAccessStore,
  user: Pick<User, 'id'>,
  asked: AskedRecording | null,
): Promise<NewRecording | undefined> {
  if (asked === null) return undefined;
  if (typeof asked !== 'string') return asked;
  try {
    const { execution } = isExecutionId(asked) ? await loadExecution(store, user, asked) : { execution: null };
    if (execution === null) throw new Problem('not_found', 'Execution not found.');
    await readRecording(store, user, execution);
  } catch (error) {
    if (!(error instanceof Problem) || typeof error.detail !== 'string') throw error;
    if (error.kind === 'unavailable') throw error;
    throw new Problem('invalid', [{ type: 'value_error', loc: ['body', 'cassette'], msg: error.detail }]);
  }
  return { kind: 'copied', from: asked };
}

async function readRecording(
  store: RecordingAccessStore,
  user: Pick<User, 'id'>,
  execution: OwnedExecution,
): Promise<Recording> {
  const recording = await store.recordings.read(execution.id);
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
  { workflowIds }: Recording,
): Promise<void> {
  for (const id of workflowIds) {
    const workflow = await store.workflows.byId(id);
    const standing = workflow === null ? null : await standingOf(store, user, workflow);
    if (isMember(standing)) continue;
    throw new Problem('members_only', 'The recording includes executions of workflows that are not shared with you.');
  }
}
