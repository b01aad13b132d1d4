import type { ExecutionLog } from '../api/executions.ts';

/** What the detail of an execution contains instead of a value that is too large for it. */
interface Shortened {
  readonly truncated: true;
  readonly size: number;
  readonly preview: string;
}

/** Whether the detail contains only the beginning of a value. */
export function isShortened(value: unknown): value is Shortened {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 3) return false;
  const { truncated, size, preview } = value as Partial<Shortened>;
  return truncated === true && typeof size === 'number' && typeof preview === 'string';
}

/** The lines that the code of a step wrote. */
export function consoleLines({ metadata }: Pick<ExecutionLog, 'metadata'>): readonly string[] {
  const lines = metadata.console;
  return Array.isArray(lines) ? lines.map(String) : [];
}

/** What a step measured, besides what it wrote: for the details of an attempt. */
export function detailsOf({ metadata }: Pick<ExecutionLog, 'metadata'>): readonly (readonly [string, string])[] {
  return Object.entries(metadata)
    .filter(([name]) => name !== 'console' && name !== 'pinned')
    .map(([name, value]) => [name.replaceAll('_', ' '), typeof value === 'string' ? value : JSON.stringify(value)]);
}
