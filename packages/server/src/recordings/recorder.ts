import { type JsonObject, type McpPort, StepError } from '@millrace/core';
import type { Outside, RecordedAttempt } from '../runner/ports.ts';
import type { RecordingStore } from '../store/recordings.ts';
import { commandWriter } from './command-kind.ts';
import { gitWriter } from './git-kind.ts';
import { httpWriter } from './http-writer.ts';
import { type Failable, failureIn, type Writer } from './kind.ts';
import { maskedRequest } from './masked-request.ts';
import { answeredMcp, type McpAnswered, type McpAsked, mcpWriter } from './mcp-kind.ts';
import { modelWriter } from './model-kind.ts';
import { stepOf } from './recorded-step.ts';

/**
 * The outside of an attempt that is recorded. A step gets an answer when it is stored: whatever follows from it is
 * stored later. What is stopped, by a cancellation or by the step's time limit, has no answer and is not recorded.
 */
export function recordedOutside(
  store: Pick<RecordingStore, 'add'>,
  outside: Outside,
  attempt: RecordedAttempt,
): Outside {
  const { id } = attempt.recording;
  const step = stepOf(attempt);

  async function recorded<Entry extends Failable, Asked, Answer>(
    writer: Writer<Entry, Asked, Answer>,
    asked: Asked,
    { signal, answer }: { readonly signal: AbortSignal; readonly answer: Promise<Answer> },
  ): Promise<Answer> {
    const add = (entry: Entry) =>
      store.add({ id, step, exchange: { kind: writer.key, entry: entry as unknown as JsonObject } });
    try {
      const given = await answer;
      await add(await writer.entryOf(asked, given));
      return given;
    } catch (error) {
      if (error instanceof StepError && !signal.aborted)
        await add({ ...writer.askedIn(asked), fails: failureIn(error) });
      throw error;
    }
  }

  return {
    http: (request, signal) => recorded(httpWriter, request, { signal, answer: outside.http(request, signal) }),
    toolRequest: (call, signal) =>
      recorded(httpWriter, maskedRequest(call.request, call.variables), {
        signal,
        answer: outside.toolRequest(call, signal),
      }),
    botRequest: (call, signal) =>
      recorded(httpWriter, call.request, { signal, answer: outside.botRequest(call, signal) }),
    git: (call, signal) => recorded(gitWriter, call.request, { signal, answer: outside.git(call, signal) }),
    askModel: (request, caller) =>
      recorded(modelWriter, request, { signal: caller.signal, answer: outside.askModel(request, caller) }),
    runCommand: (request, caller) =>
      recorded(commandWriter, request, { signal: caller.signal, answer: outside.runCommand(request, caller) }),
    // The service itself is not outside.
    platform: outside.platform,
    mcp: {
      open(target, signal) {
        const port = outside.mcp.open(target, signal);
        return answeredMcp(target.nodeId, (asked) =>
          recorded(mcpWriter, asked, { signal, answer: answerOf(port, asked) }),
        );
      },
    },
  };
}

async function answerOf(port: McpPort, { call }: McpAsked): Promise<McpAnswered> {
  return call === null ? { tools: await port.tools() } : { answer: await port.call(call.tool, call.args) };
}
