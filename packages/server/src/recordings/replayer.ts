import { type Meter, type PlatformRequest, type SlicedWork, StepError } from '@millrace/core';
import { slices } from '../ground/slices.ts';
import { WeighedCache } from '../ground/weighed-cache.ts';
import type { Outside, RecordedAttempt } from '../runner/ports.ts';
import type { Recording, RecordingStore, StoredExchange } from '../store/recordings.ts';
import { commandKind } from './command-kind.ts';
import { gitKind } from './git-kind.ts';
import { httpKind } from './http-kind.ts';
import { answerBy, type Failable, type Kind } from './kind.ts';
import { maskedRequest } from './masked-request.ts';
import { answeredMcp, mcpKind } from './mcp-kind.ts';
import { memoryOf } from './memory.ts';
import { modelKind } from './model-kind.ts';
import { stepOf } from './recorded-step.ts';

/** Memory for the recordings of runs in progress: they are read again when they are needed. */
const cacheBytes = 67_108_864;

/** Entries that the message of a missing one names. */
const namedEntries = 5;

/** Gives attempts the answers of recordings. Nothing here reaches the outside. */
export class Replayer {
  readonly #store: Pick<RecordingStore, 'read' | 'use'>;
  /** What is recorded never changes after it was given to a run. */
  readonly #recordings = new WeighedCache<string, Recording>(cacheBytes);
  readonly #reading = new Map<string, Promise<Recording>>();

  constructor(store: Pick<RecordingStore, 'read' | 'use'>) {
    this.#store = store;
  }

  outsideOf(outside: Outside, attempt: RecordedAttempt): Outside {
    const answer = <Entry extends Failable, Asked, Answer>(kind: Kind<Entry, Asked, Answer>, asked: Asked) =>
      this.#answer(kind, asked, attempt);
    return {
      http: (request) => answer(httpKind, request),
      toolRequest: ({ request, variables }) => answer(httpKind, maskedRequest(request, variables)),
      botRequest: ({ request }) => answer(httpKind, request),
      git: ({ request }) => answer(gitKind, request),
      async askModel(request, { listen }) {
        const given = await answer(modelKind, request);
        listen?.(given.text);
        return given;
      },
      runCommand: (request) => answer(commandKind, request),
      platform: async (workflow, request) => {
        rejectOutside(request);
        return outside.platform(workflow, request);
      },
      mcp: { open: ({ nodeId }) => answeredMcp(nodeId, (asked) => answer(mcpKind, asked)) },
    };
  }

  async #answer<Entry extends Failable, Asked, Answer>(
    kind: Kind<Entry, Asked, Answer>,
    asked: Asked,
    attempt: RecordedAttempt,
  ): Promise<Answer> {
    const { id } = attempt.recording;
    const { exchanges } = await this.#read(id);
    // Many attempts may have waited for the same recording: each begins in a turn of its own.
    await slices.turn();
    const positions = await attempt.inSlices(fittingOf(kind, exchanges, { asked, meter: attempt.meter }));
    const used = positions.length === 0 ? null : await this.#store.use({ id, step: stepOf(attempt), positions });
    await slices.turn();
    const found = exchanges.find(({ position }) => position === used);
    if (found !== undefined) return answerBy(kind, entryOf<Entry>(found), asked);
    const recordings = exchanges
      .filter((one) => one.kind === kind.key)
      .map(entryOf<Entry>)
      // Those that fit were all used.
      .map((given, index) => ({ given, name: kind.nameOf(given, index), left: positions.length === 0 ? 1 : 0 }));
    const hint = kind.hint?.(asked, recordings) ?? '';
    throw new StepError(
      'cassette_miss',
      `No recording answers ${kind.wordsOf(asked)}.${hint}${listOf(kind, recordings)}`,
    );
  }

  /** All attempts that need a recording at the same time wait for one read of it. */
  #read(id: string): Promise<Recording> {
    const known = this.#recordings.get(id);
    if (known !== undefined) return Promise.resolve(known);
    const reading = this.#reading.get(id) ?? this.#readStored(id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #readStored(id: string): Promise<Recording> {
    const recording = await this.#store.read(id);
    if (recording === null) throw new StepError('cassette_miss', 'The recording of this execution was deleted.');
    const bytes = await slices.finish(memoryOf(recording.exchanges.map(({ entry }) => entry)));
    this.#recordings.set(id, recording, bytes);
    return recording;
  }
}

/** An entry of a kind: it was checked before it was stored. */
function entryOf<Entry>({ entry }: StoredExchange): Entry {
  return entry as unknown as Entry;
}

/** The positions of the exchanges that answer a request. */
function* fittingOf<Entry extends Failable, Asked>(
  kind: Kind<Entry, Asked, unknown>,
  exchanges: readonly StoredExchange[],
  { asked, meter }: { readonly asked: Asked; readonly meter: Meter },
): SlicedWork<readonly number[]> {
  const fits = kind.fitting(asked, meter);
  const positions: number[] = [];
  try {
    for (const one of exchanges) {
      if (one.kind !== kind.key) continue;
      if (yield* fits(entryOf<Entry>(one))) positions.push(one.position);
      yield;
    }
    return positions;
  } catch (error) {
    if (!(error instanceof StepError) || error.code !== 'work_limit') throw error;
    throw new StepError('work_limit', tooMuchToCompare);
  }
}

const tooMuchToCompare =
  'Comparing the request with the recorded answers takes more work than one step may have: give it fewer entries, or entries that name less of the request.';

/** The entries of a kind, in a sentence after a space. */
function listOf<Entry extends Failable>(
  { key }: Pick<Kind<Entry, never, unknown>, 'key'>,
  recordings: readonly { readonly name: string }[],
): string {
  if (recordings.length === 0) return ` The recording has no '${key}'.`;
  const names = recordings.slice(0, namedEntries).map(({ name }) => name);
  const more = recordings.length - names.length;
  return ` The recording has ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** The list of the tools of a node, which comes from its MCP server. */
const toolsOfNode = /\/nodes\/[^/]+\/tools\/$/;

/** An execution that is started through the API would not get the answers of this recording. */
function rejectOutside({ method, path }: PlatformRequest): void {
  if (method === 'GET' && !toolsOfNode.test(path)) return;
  const message = `Executions with recorded answers may only read by the API of the service, and reach no server by it: ${method} ${path} is not recorded.`;
  throw new StepError('cassette_miss', message);
}
