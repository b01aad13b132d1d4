import { runFile, type TestResult } from '../workflow-tests/run-file.ts';
import type { TestRunner } from '../workflow-tests/test-runner.ts';
import { Unreadable } from '../workflow-tests/text-files.ts';
import { CommandError, type FreeCommand, type FreePorts } from './command.ts';

/** Runs workflow tests. Exit code 1 for failed tests, 2 for files that cannot be read. */
export const testCommand: FreeCommand = {
  needs: 'nothing',
  name: 'test',
  takes: '<file>…',
  summary: 'Runs workflow tests from YAML files, with recorded responses and virtual time.',
  async run({ words }, ports) {
    if (words.length === 0) throw new CommandError('Name at least one file.');
    const testRunner = await ports.openTestRunner();
    const count: Count = { passed: 0, failed: 0, unreadable: 0 };
    try {
      for (const path of words) await runTestFile(path, testRunner, { ports, count });
    } finally {
      testRunner.close();
    }
    ports.print(`${count.passed} passed, ${count.failed} failed`);
    if (count.unreadable > 0) return 2;
    return count.failed > 0 ? 1 : 0;
  },
};

/** The number of tests and files. */
interface Count {
  passed: number;
  failed: number;
  unreadable: number;
}

async function runTestFile(path: string, testRunner: TestRunner, { ports, count }: { ports: FreePorts; count: Count }) {
  ports.print(path);
  try {
    for await (const result of runFile(testRunner, path)) {
      count[result.failures.length === 0 ? 'passed' : 'failed'] += 1;
      printResult(result, ports);
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    count.unreadable += 1;
    ports.note(error.message);
  }
}

function printResult({ test, failures }: TestResult, { print }: FreePorts): void {
  print(failures.length === 0 ? `  ok    ${test.name}` : `  FAIL  ${test.name} (line ${test.line})`);
  for (const failure of failures) for (const line of failure.split('\n')) print(`          ${line}`);
}
