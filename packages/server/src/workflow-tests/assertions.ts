import { type Json, type JsonObject, own, suggestion } from '@millrace/core';
import { type Difference, differences, shown } from '../recordings/difference.ts';
import type { RunRecord } from './run-record.ts';
import type { Expectation } from './test-schema.ts';
import type { Reply } from './test-service.ts';

/** The result of a test: null without a run, or without an answer. */
export interface Outcome {
  readonly run: RunRecord | null;
  readonly reply: Reply | null;
}

/** The places at which the result differs from what a test expects. */
export function failuresOf(expect: Expectation, { run, reply }: Outcome): readonly Difference[] {
  return [
    ...(run === null ? failuresWithoutRun(expect, reply) : failuresOfRun(expect, run)),
    ...(expect.response === undefined ? [] : failuresOfResponse(expect.response, reply)),
  ];
}

/** A test that expects only the rejection of its request needs no run. */
function failuresWithoutRun({ response, ...ofRun }: Expectation, reply: Reply | null): readonly Difference[] {
  if (response !== undefined && Object.keys(ofRun).length === 0) return [];
  const came = `nothing: the service rejected the start (${reply?.status}) ${JSON.stringify(reply?.body)}`;
  return [{ at: 'the run', expected: 'to start', came }];
}

function failuresOfRun(expect: Expectation, run: RunRecord): readonly Difference[] {
  const { error, path, skipped, outputs = {}, final_output } = expect;
  return [
    ...failuresOfStatus(expect, run),
    ...(path === undefined ? [] : differencesOfList(path, run.path, 'path')),
    ...(skipped === undefined ? [] : differencesOfList(skipped.toSorted(), run.skipped.toSorted(), 'skipped')),
    ...Object.entries(outputs).flatMap(([step, ports]) => failuresOfStep(step, ports, run)),
    ...(final_output === undefined ? [] : differences(final_output, run.finalOutput, 'final_output')),
    ...(error === undefined ? [] : differencesOfError(error, run)),
  ];
}

/** A run must complete unless the test says otherwise. */
function failuresOfStatus({ status, error }: Expectation, run: RunRecord): readonly Difference[] {
  const expected = status ?? (error === undefined ? 'completed' : 'failed');
  if (expected === run.status) return [];
  const { failure } = run;
  const why = failure === null ? '' : ` (${failure.code}): ${failure.message}`;
  return [{ at: 'status', expected, came: `${run.status}${why}` }];
}

/** Shown completely: one differing name says little without the others. */
function differencesOfList(expected: Json, came: readonly string[], at: string): readonly Difference[] {
  if (differences(expected, came, at).length === 0) return [];
  return [{ at, expected: JSON.stringify(expected), came: JSON.stringify(came) }];
}

/** Enough to show how frames are named. */
const mostFrames = 3;

function failuresOfStep(step: string, ports: JsonObject, { outputs }: RunRecord): readonly Difference[] {
  const name = `outputs.${step}`;
  const found = outputs.get(step) ?? onlyInFrames(outputs, step);
  if (found !== undefined)
    return Object.entries(ports).flatMap(([port, value]) => failuresOfPort(value, found, [name, port]));
  const inFrames = [...outputs.keys()].filter((key) => key.endsWith(`/${step}`)).slice(0, mostFrames);
  const came =
    inFrames.length > 0
      ? `one in each of several frames: name a frame, e.g. ${inFrames.join(', ')}`
      : `nothing.${suggestion(step, outputs.keys())}`;
  return [{ at: name, expected: 'an output', came }];
}

function failuresOfPort(expected: Json, outputs: JsonObject, [step, port]: [string, string]): readonly Difference[] {
  const at = `${step}.${port}`;
  if (Object.hasOwn(outputs, port)) return differences(expected, own(outputs, port), at);
  return [{ at, expected: shown(expected), came: `nothing: its ports are ${Object.keys(outputs).join(', ')}` }];
}

/** A loop body step that ran once can be named without its frame. */
function onlyInFrames(outputs: RunRecord['outputs'], nodeId: string): JsonObject | undefined {
  const [only, another] = [...outputs].filter(([key]) => key.endsWith(`/${nodeId}`));
  return another === undefined ? only?.[1] : undefined;
}

function differencesOfError(error: NonNullable<Expectation['error']>, { failure, failedNode }: RunRecord) {
  const { node, code, message } = error;
  return [
    ...(node === undefined ? [] : differences(node, failedNode, 'error.node')),
    ...(code === undefined ? [] : differences(code, failure?.code, 'error.code')),
    ...(message === undefined ? [] : differences(message, failure?.message, 'error.message')),
  ];
}

function failuresOfResponse(
  expected: NonNullable<Expectation['response']>,
  reply: Reply | null,
): readonly Difference[] {
  const { status, headers = {}, body } = expected;
  const came = new Map(Object.entries(reply?.headers ?? {}));
  return [
    ...(status === undefined ? [] : differences(status, reply?.status, 'response.status')),
    ...Object.entries(headers).flatMap(([name, value]) =>
      differences(value, came.get(name.toLowerCase()), `response.headers.${name}`),
    ),
    ...(body === undefined ? [] : differences(body, reply?.body as Json | undefined, 'response.body')),
  ];
}
