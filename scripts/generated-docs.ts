import { errorTable } from '@millrace/core';

/** The pages of `docs/` that are made from the code, by file name. `npm run docs` writes them; a test compares them. */
export function generatedDocs(): ReadonlyMap<string, string> {
  return new Map([['errors.md', errors()]]);
}

const note = '<!-- Made by `npm run docs`: change the code, not this page. -->';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function errors(): string {
  const of = (isWanted: (kind: string) => boolean): string[][] =>
    Object.entries(errorTable)
      .filter(([, { kind }]) => isWanted(kind))
      .map(([code, { kind, meaning }]) => [`\`${code}\``, kind, meaning]);
  const isOfRun = (kind: string): boolean => kind === 'step' || kind === 'run';
  return `${note}

# Errors

## What the API answers

Every error's body is \`{"detail": …}\`: a sentence; for a request that breaks a schema a list of \`{type, loc, msg}\`; for an edge whose types do not fit
\`{"validation_errors": […]}\`. The kind decides the status (\`packages/server/src/http/errors.ts\`).

${table(
  ['code', 'kind', 'meaning'],
  of((kind) => !isOfRun(kind)),
)}

## What a run meets

These are the \`error_code\` of a log entry and of an execution that failed.

${table(['code', 'kind', 'meaning'], of(isOfRun))}
`;
}
