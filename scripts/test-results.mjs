import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * @typedef {{ status: string, fullName: string, failureMessages: string[] }} TestResult
 * @typedef {{ name: string, status: string, message: string, startTime: number, endTime: number,
 *   assertionResults: TestResult[] }} FileResult
 * @typedef {{ numPassedTests: number, numFailedTests: number, numTotalTests: number, testResults: FileResult[] }} Report
 */

/** @param {string} file @returns {Report | null} null if it is missing or cannot be parsed */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Counts the tests of a run from vitest's JSON report. Failures outside single tests count as failed too:
 * a file that could not be loaded, an error outside any test, a run without a report, a run without a test.
 * @param {string} file @param {boolean} exitedWell
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(file, exitedWell) {
  const report = readReport(file);
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const passed = report.numPassedTests;
  const brokenFiles = report.testResults.filter(isBroken);
  const counted = report.numFailedTests + brokenFiles.length;
  const failed = counted === 0 && (!exitedWell || passed === 0) ? 1 : counted;
  return { passed, failed, skipped: report.numTotalTests - passed - report.numFailedTests };
}

/** True if a file failed although none of its tests did. @param {FileResult} result */
function isBroken({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
}

/** Lines of a message that are printed: enough for the error and its position. */
const messageLines = 8;

/**
 * Lists each failed test and each file that could not be loaded, with its message, from vitest's JSON report.
 * @param {string} file @returns {string}
 */
export function namesOfFailed(file) {
  const report = readReport(file);
  if (report === null) return 'The run has no report.';
  const entries = report.testResults.flatMap((result) => {
    const failed = result.assertionResults.filter(({ status }) => status === 'failed');
    const tests = failed.map((test) => entryOf(`${result.name}: ${test.fullName}`, test.failureMessages.join('\n')));
    return isBroken(result) ? [entryOf(result.name, result.message), ...tests] : tests;
  });
  return entries.length === 0 ? 'No test failed, but the run did.' : entries.join('\n');
}

/** Rows of the table: enough to see where most of the time is spent. */
const slowestCount = 20;

/**
 * Lists the slowest test files with their seconds, slowest first, from vitest's JSON report; without a report, none.
 * @param {string} file @returns {string[]}
 */
export function slowestFiles(file) {
  const results = readReport(file)?.testResults ?? [];
  return results
    .map(({ name, startTime, endTime }) => ({ name, seconds: Math.max(0, endTime - startTime) / 1000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, slowestCount)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${relative(process.cwd(), name)}`);
}

/** @param {string} name @param {string} message */
function entryOf(name, message) {
  const lines = message.trim().split('\n').slice(0, messageLines);
  return [name, ...lines.map((line) => `    ${line}`)].join('\n');
}
