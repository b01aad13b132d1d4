/** A message to a model, as logs contain it. */
export interface SentMessage {
  readonly role: string;
  readonly content: string;
  /** Of the call whose result it is. */
  readonly callId: string | null;
  readonly isError: boolean;
}

interface Sent {
  readonly system: string;
  readonly messages: readonly SentMessage[];
}

/** The instructions and the messages in the input of a call of a model, or in the output of an agent. */
export function sentMessages(value: unknown): Sent {
  const { system, messages } = fieldsOf(value);
  const all = Array.isArray(messages) ? messages.map(messageOf) : [];
  const first = all.find(({ role }) => role === 'system')?.content ?? '';
  return {
    system: typeof system === 'string' ? system : first,
    messages: all.filter(({ role }) => role !== 'system'),
  };
}

function messageOf(value: unknown): SentMessage {
  const { role, content, tool_call_id: callId, is_error: isError } = fieldsOf(value);
  return {
    role: String(role),
    content: typeof content === 'string' ? content : '',
    callId: typeof callId === 'string' ? callId : null,
    isError: isError === true,
  };
}

interface WantedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** The calls of tools in the answer of a model; null if the answer is not known. */
export function wantedCalls(output: unknown): readonly WantedCall[] | null {
  const { calls } = fieldsOf(output);
  if (!Array.isArray(calls)) return null;
  return calls.map((call) => {
    const { id, tool, arguments: args } = fieldsOf(call);
    return { id: String(id), name: String(tool), arguments: args };
  });
}

/** What a call of a model used. */
export interface CallUsage {
  readonly tokens: number;
  readonly costUsd: number;
}

/** The usage in the metadata of a log entry, or in the output of an agent; null if there is none. */
export function usageIn(value: unknown): CallUsage | null {
  const { usage } = fieldsOf(value);
  const { total_tokens: tokens, cost_usd: costUsd } = fieldsOf(usage);
  return typeof tokens === 'number' && typeof costUsd === 'number' ? { tokens, costUsd } : null;
}

/** The fields of a value that may be anything. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
