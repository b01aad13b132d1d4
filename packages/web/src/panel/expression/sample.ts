import type { ExecutionDetail } from '../../api/executions.ts';

/** Values that expressions had in an execution: the outputs of each node, and the trigger. */
export type Sample = Readonly<Record<string, unknown>>;

/** The sample of an execution: of a node that ran several times, its last outputs. */
export function sampleOf(execution: ExecutionDetail | undefined): Sample {
  if (execution === undefined) return {};
  const outputs = execution.logs.filter(({ output }) => output !== null).map(({ node_id: id, output }) => [id, output]);
  return { ...Object.fromEntries(outputs), trigger: { payload: execution.trigger_payload } };
}

/** The type of a value, in the words of the app. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `list of ${value.length}`;
  return typeof value === 'string' ? 'text' : typeof value;
}

/** A value in a few characters. */
export function shortValue(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
