import type { Catalogue } from '../component/component.ts';
import type { Draft } from './draft.ts';
import type { DslIssue } from './dsl-issue.ts';
import { graphKeys, readGraphForm } from './graph-form.ts';
import { headerKeys, readHeader } from './header.ts';
import { Reader } from './reader.ts';
import { readStepsForm, stepsKeys } from './steps-form.ts';
import { placeFromWorkflow } from './stray-keys.ts';
import { parseYaml } from './yaml/yaml-parse.ts';

/** The parsed parts of a text, as far as it could be parsed, and its issues. */
export interface DslReading {
  /** Null if the text is not a map of keys. */
  readonly parts: { readonly draft: Draft; readonly reader: Reader } | null;
  readonly issues: readonly DslIssue[];
}

/** Parses a workflow from its text. Names are not resolved, and only the text itself is checked. */
export function readDsl(text: string, catalogue: Catalogue): DslReading {
  const document = parseYaml(text);
  if (document.root === null) return { parts: null, issues: document.issues };
  const reader = new Reader(document, document.root);
  const keys = reader.keysAt([], 'A workflow');
  if (keys === null) return { parts: null, issues: reader.issues };
  const form = formOf(keys, reader);
  const known = [...headerKeys, ...(form === 'steps' ? stepsKeys : graphKeys)];
  for (const key of keys) if (!known.includes(key)) reportStray(reader, key, known);
  const header = readHeader(reader);
  const graph = form === 'steps' ? readStepsForm(reader, catalogue) : readGraphForm(reader, catalogue);
  return { parts: { draft: { header, ...graph }, reader }, issues: reader.issues };
}

const stepsOnly: ReadonlySet<string> = new Set(stepsKeys);
const graphOnly: ReadonlySet<string> = new Set(graphKeys);

/** A text is in one of two forms: its first key that belongs to either form decides. */
function formOf(keys: readonly string[], reader: Reader): 'graph' | 'steps' {
  const first = keys.find((key) => stepsOnly.has(key) || graphOnly.has(key)) ?? 'nodes';
  const isSteps = stepsOnly.has(first);
  for (const key of keys.filter((name) => (isSteps ? graphOnly : stepsOnly).has(name))) {
    const message = `'${key}' and '${first}' cannot be combined: a text has either nodes and edges, or steps.`;
    reader.reportKey({ code: 'form', message }, [key]);
  }
  return isSteps ? 'steps' : 'graph';
}

function reportStray(reader: Reader, key: string, known: readonly string[]): void {
  // Keys of the other form are already reported.
  if (stepsOnly.has(key) || graphOnly.has(key)) return;
  reader.reportUnknown([key], known, placeFromWorkflow(key));
}
