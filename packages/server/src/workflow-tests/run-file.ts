import { dirname, isAbsolute, join } from 'node:path';
import type { DslIssue } from '@millrace/core';
import type { WorkflowText } from './install.ts';
import { type PlacedTest, readTestFile } from './test-file.ts';
import { runTest, type TestRunner } from './test-runner.ts';
import { readText, Unreadable } from './text-files.ts';

/** The result of one test. */
export interface TestResult {
  readonly test: Pick<PlacedTest, 'name' | 'line'>;
  /** The failures; empty if the test passed. */
  readonly failures: readonly string[];
}

/** Runs the tests of a file in order. @throws Unreadable for a file, or a workflow of it, that cannot be read */
export async function* runFile(testRunner: TestRunner, path: string): AsyncGenerator<TestResult> {
  const { tests, workflows } = load(path);
  for (const test of tests) yield { test, failures: await runTest(testRunner, workflows, test) };
}

interface Loaded {
  readonly tests: readonly PlacedTest[];
  readonly workflows: readonly WorkflowText[];
}

function load(path: string): Loaded {
  const file = readTestFile(readText(path));
  if ('issues' in file) throw rejection(path, file.issues);
  const workflows = file.workflows.map((place): WorkflowText => {
    if ('text' in place) return { file: path, text: place.text };
    const file = isAbsolute(place.path) ? place.path : join(dirname(path), place.path);
    return { file, text: readText(file) };
  });
  return { tests: file.tests, workflows };
}

function rejection(path: string, issues: readonly DslIssue[]): Unreadable {
  const lines = issues.map(({ line, column, message }) => `${path}:${line}:${column} ${message}`);
  return new Unreadable(lines.join('\n'));
}
