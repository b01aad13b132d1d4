import type { Conversation } from './conversation.ts';
import { usageIn } from './model-values.ts';

/** What one answer of an agent may use; null for no limit. */
export interface AgentLimits {
  readonly modelCalls: number | null;
  readonly toolCalls: number | null;
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly seconds: number | null;
}

/** How much of a limit is used. */
export interface Budget {
  readonly name: string;
  readonly used: number;
  readonly allowed: number;
  /** `1,234 of 5,000`. */
  readonly text: string;
}

/** The limits in the config of an agent, with the defaults of its schema. */
export function limitsOf(config: unknown, schema: unknown): AgentLimits {
  const { max_steps: modelCalls, budgets } = fieldsOf(config);
  const { tokens, usd, tool_calls: toolCalls, seconds } = fieldsOf(budgets);
  const properties = fieldsOf(fieldsOf(schema).properties);
  const known = fieldsOf(fieldsOf(properties.budgets).properties);
  return {
    modelCalls: limit(modelCalls, properties.max_steps),
    toolCalls: limit(toolCalls, known.tool_calls),
    tokens: limit(tokens),
    usd: limit(usd),
    seconds: limit(seconds),
  };
}

/** Only numbers: what an expression gives is not known here. */
function limit(value: unknown, schema?: unknown): number | null {
  const { default: usual } = fieldsOf(schema);
  const wanted = value ?? usual;
  return typeof wanted === 'number' ? wanted : null;
}

/** What an attempt of an agent has used of its limits. */
export function budgetsOf({ rounds }: Conversation, limits: AgentLimits): readonly Budget[] {
  const tools = rounds.flatMap((round) => round.tools).filter(({ step, seen }) => step !== null || seen !== null);
  const logs = [...rounds.map(({ model }) => model.log), ...tools.map(({ step }) => step?.log ?? null)];
  const usages = logs.map((log) => usageIn(log?.metadata));
  const sum = (values: readonly (number | undefined)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const all: readonly (readonly [name: string, used: number, allowed: number | null, format: Format])[] = [
    ['Model calls', rounds.length, limits.modelCalls, whole],
    ['Tool calls', tools.length, limits.toolCalls, whole],
    ['Tokens', sum(usages.map((usage) => usage?.tokens)), limits.tokens, whole],
    ['Cost', sum(usages.map((usage) => usage?.costUsd)), limits.usd, dollars],
    ['Seconds of work', sum(logs.map((log) => log?.duration_ms)) / 1000, limits.seconds, tenths],
  ];
  return all.flatMap(([name, used, allowed, format]) =>
    allowed === null ? [] : [{ name, used, allowed, text: `${format(used)} of ${format(allowed)}` }],
  );
}

type Format = (value: number) => string;

const whole: Format = (value) => value.toLocaleString('en', { maximumFractionDigits: 0 });
const tenths: Format = (value) => value.toLocaleString('en', { maximumFractionDigits: 1 });
/** A call often costs less than a cent. */
const dollars: Format = (value) => `$${value.toLocaleString('en', { maximumFractionDigits: 4 })}`;

/** The fields of a value that may be anything. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
