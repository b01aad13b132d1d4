import { readFileSync } from 'node:fs';
import { catalogue } from '@millrace/components';
import { type Component, errorTable } from '@millrace/core';
import { componentIndex, componentPage } from '../packages/server/src/http/reference/component-pages.ts';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';
import { parts } from '../packages/server/test/conformance/rows.ts';
import { WholeApp } from '../packages/server/test/support/whole-app.ts';
import { apiPage } from './api-page.ts';
import { withArchitectureMap } from './architecture-map.ts';
import { conformancePage } from './conformance-page.ts';
import { expressionsPage } from './expressions-page.ts';
import { policiesPage } from './policies-page.ts';

/** The pages of `docs/` that are made from the code, by file name. `npm run docs` writes them; a test compares them. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  const architecture = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8');
  return new Map([
    ['architecture.md', withArchitectureMap(architecture)],
    ['errors.md', errors()],
    ['conformance.md', `${note}\n\n${conformancePage(parts)}`],
    ['expressions.md', `${note}\n\n${expressionsPage()}`],
    ['policies.md', `${note}\n\n${policiesPage()}`],
    ['api.md', `${note}\n\n${apiPage(await openapiDocument())}`],
    ['components/README.md', `${note}\n\n${componentIndex(catalogue)}\n`],
    ...[...catalogue.values()].map(pageOf),
  ]);
}

function pageOf(component: Component<never>): readonly [string, string] {
  return [`components/${component.type}.md`, `${note}\n\n${componentPage(component)}\n`];
}

async function openapiDocument(): ReturnType<WholeApp['document']> {
  const service = await WholeApp.start();
  try {
    return await service.document();
  } finally {
    await service.close();
  }
}

const note = '<!-- Made by `npm run docs`: change the code, not this page. -->';

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
\`{"validation_errors": […]}\`. The kind decides the status (\`packages/server/src/http/plumbing/errors.ts\`).

${table(
  ['code', 'kind', 'meaning'],
  of((kind) => !isOfRun(kind)),
)}

## What a run meets

These are the \`error_code\` of a log entry and of an execution that failed.

${table(['code', 'kind', 'meaning'], of(isOfRun))}
`;
}
