import { readFileSync } from 'node:fs';

/**
 * What a test run came to, by vitest's JSON report. Whatever went wrong besides single tests counts as a failure too:
 * a file that could not be loaded, an error outside any test, a run without a report, a run without a single test.
 * @param {string} file @param {boolean} exitedWell
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(file, exitedWell) {
  /** @type {{ numPassedTests: number, numFailedTests: number, numTotalTests: number, testResults: { status: string, assertionResults: { status: string }[] }[] }} */
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const passed = report.numPassedTests;
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const counted = report.numFailedTests + brokenFiles.length;
  const failed = counted === 0 && (!exitedWell || passed === 0) ? 1 : counted;
  return { passed, failed, skipped: report.numTotalTests - passed - report.numFailedTests };
}
