import { type DslIssue, type JsonObject, keysAt, parseYaml, Reader, schemaIssues } from '@millrace/core';
import { z } from 'zod';
import { testFileSchema, type WorkflowTest } from './test-schema.ts';

/** A workflow that a test file names: the path of its file, or its text. */
export type WorkflowPlace = { readonly path: string } | { readonly text: string };

/** A test with its first line. */
export interface PlacedTest extends WorkflowTest {
  readonly line: number;
}

/** The contents of a test file. */
export interface TestFile {
  /** The tested workflow comes last, because it may refer to the others. */
  readonly workflows: readonly WorkflowPlace[];
  readonly tests: readonly PlacedTest[];
}

// Created once, for the first file with an error.
let jsonSchema: JsonObject | null = null;

/** Reads a test file and reports all errors at once, each with its position. */
export function readTestFile(text: string): TestFile | { readonly issues: readonly DslIssue[] } {
  const document = parseYaml(text);
  if (document.root === null) return { issues: document.issues };
  const reader = new Reader(document, document.root);
  const parsed = testFileSchema.safeParse(reader.jsonAt([]));
  if (!parsed.success) reportAll(reader, parsed.error);
  if (!parsed.success || reader.issues.length > 0) return { issues: inOrder(reader.issues) };
  const { workflow, workflows, tests } = parsed.data;
  const placeOf = (given: typeof workflow, path: readonly (string | number)[]): WorkflowPlace =>
    typeof given === 'string' ? { path: given } : { text: inlineText(text, reader, path) };
  return {
    workflows: [
      ...workflows.map((each, index) => placeOf(each, ['workflows', index])),
      placeOf(workflow, ['workflow']),
    ],
    tests: tests.map((test, index) => {
      const node = reader.nodeAt(['tests', index]);
      return { ...test, line: document.lines.placeOf(node?.offset ?? 0).line };
    }),
  };
}

/** More errors than anyone fixes in one pass. */
const mostIssues = 100;

function reportAll(reader: Reader, error: z.ZodError): void {
  jsonSchema ??= z.toJSONSchema(testFileSchema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  for (const { type, path, message } of schemaIssues(error).slice(0, mostIssues)) {
    if (type === 'unrecognized_keys') reader.reportUnknown(path, keysAt(jsonSchema, path.slice(0, -1)));
    else reader.report({ code: 'field', message: `${nameOf(path)}: ${message}` }, path);
  }
}

/** A position in a list has no useful name; the line identifies it. */
function nameOf(path: readonly (string | number)[]): string {
  return String(path.findLast((key) => typeof key === 'string') ?? 'The file');
}

function inOrder(issues: readonly DslIssue[]): readonly DslIssue[] {
  return issues.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

type Path = readonly (string | number)[];

/**
 * The part of a text that is the map at a path, with blanks for everything before it, so that lines and columns stay
 * the same. A map in braces is rewritten on one line, because its end is not known.
 */
export function inlineText(text: string, reader: Reader, path: Path): string {
  const start = reader.nodeAt(path)?.offset ?? 0;
  const before = text.slice(0, start).replace(/[^\n]/g, ' ');
  if (text[start] === '{') return before + JSON.stringify(reader.jsonAt(path));
  const next = Math.min(...path.map((_key, depth) => nextAfter(text, reader, path.slice(0, depth + 1))));
  const own = text.slice(start, next).trimEnd();
  // The dash of the next item does not belong to it.
  const isFollowed = reader.nodeAt(path.slice(0, -1))?.kind === 'list' && next < text.length;
  return before + (isFollowed ? own.replace(/\n[ \t]*-$/, '') : own);
}

/** The start of the next value after the one at a path; the end of the text if there is none. */
function nextAfter(text: string, reader: Reader, path: Path): number {
  const parent = reader.nodeAt(path.slice(0, -1));
  const key = path.at(-1);
  if (parent?.kind === 'list') return parent.items[Number(key) + 1]?.offset ?? text.length;
  if (parent?.kind !== 'map') return text.length;
  const entries = [...parent.entries];
  const place = entries.findIndex(([name]) => name === key);
  return entries[place + 1]?.[1].keyOffset ?? text.length;
}
