import type { Catalogue } from '@millrace/core';
import { commandKind } from '../recordings/command-kind.ts';
import type { Difference } from '../recordings/difference.ts';
import { gitKind } from '../recordings/git-kind.ts';
import { httpKind } from '../recordings/http-kind.ts';
import { mcpKind } from '../recordings/mcp-kind.ts';
import { modelKind } from '../recordings/model-kind.ts';
import { failuresOf } from './assertions.ts';
import { type Beginning, begin, CannotBegin } from './begin.ts';
import { follow } from './follow-up.ts';
import { GivenAnswers } from './given-answers.ts';
import { addVariables, install, type WorkflowText } from './install.ts';
import { recordOf } from './run-record.ts';
import { TestAnswers } from './test-answers.ts';
import type { Expectation, WorkflowTest } from './test-schema.ts';
import type { OpenTestService, PendingReply, TestService } from './test-service.ts';

/** The dependencies of a test. */
export interface TestRunner {
  readonly open: OpenTestService;
  readonly catalogue: Catalogue;
}

/** The default start time: always the same, so that no test depends on the day. */
const usualStart = Date.UTC(2026, 0, 1);

/**
 * Runs one test on its own service and returns the failures, one or more lines each.
 * @throws Unreadable for a workflow that the service rejects
 */
export async function runTest(
  { open, catalogue }: TestRunner,
  workflows: readonly WorkflowText[],
  test: WorkflowTest,
): Promise<readonly string[]> {
  const http = new TestAnswers(httpKind, test.http, 'http_blocked');
  const models = new TestAnswers(modelKind, test.models, 'model_unavailable');
  const commands = new TestAnswers(commandKind, test.commands, 'command_denied');
  const git = new TestAnswers(gitKind, test.git, 'git_unavailable');
  const mcp = new TestAnswers(mcpKind, test.mcp, 'mcp_unavailable');
  const service = await open({
    startTime: test.start_time ?? usualStart,
    http: (request) => http.answer(request),
    askModel: (request) => models.answer(request),
    runCommand: (request) => commands.answer(request),
    git: (request) => git.answer(request),
    mcp: (nodeId) => (hasServer(test, nodeId) ? (asked) => mcp.answer(asked) : null),
  });
  try {
    await addVariables(service, test.vars);
    const slug = await install(service, workflows, catalogue);
    const start = { slug, test, catalogue };
    const answers = new GivenAnswers(service, test.answers);
    let last = await begin(service, start);
    const differences = [...(await failuresAfter(service, { answers, last, expect: test.expect }))];
    for (const [index, step] of test.then.entries()) {
      // A later step depends on the earlier ones.
      if (differences.length > 0) break;
      last = await follow(service, { start, last }, step);
      const found = await failuresAfter(service, { answers, last, expect: step.expect });
      differences.push(...found.map((one) => ({ ...one, at: `then[${index}].${one.at}` })));
    }
    const more = differences.length - mostShown;
    return [
      ...differences.slice(0, mostShown).map(asLines),
      ...(more > 0 ? [`… and ${more} more differences`] : []),
      ...http.failures,
      ...models.failures,
      ...commands.failures,
      ...git.failures,
      ...mcp.failures,
      ...answers.failures,
    ];
  } catch (error) {
    if (error instanceof CannotBegin) return [error.message];
    throw error;
  } finally {
    await service.close();
  }
}

/** Whether `mcp` has entries for a node. Without them, its server answers by those of `http`. */
function hasServer({ mcp }: WorkflowTest, nodeId: string): boolean {
  return mcp.some(({ node = nodeId }) => node === nodeId);
}

/** A run that was started or continued, and its expected result. */
interface Continued {
  readonly answers: GivenAnswers;
  readonly last: Beginning;
  readonly expect: Expectation;
}

async function failuresAfter(
  service: TestService,
  { answers, last: { executionId, reply }, expect }: Continued,
): Promise<readonly Difference[]> {
  await runToTheEnd(service, answers, reply);
  const detail = executionId === null ? null : await service.store.executions.detail(executionId);
  return failuresOf(expect, { run: detail && recordOf(detail), reply: reply.value });
}

/** More failures than anyone reads before looking for the cause. */
const mostShown = 20;

function asLines({ at, expected, came }: Difference): string {
  return `${at}\n  expected ${expected}\n  actual   ${came}`;
}

/**
 * Continues a run until nothing more happens by itself. Time advances at once: to the next event while a run is in
 * progress, and to the end of a wait or its answer while all runs wait.
 */
async function runToTheEnd(service: TestService, answers: GivenAnswers, reply: PendingReply): Promise<void> {
  const { store, time } = service;
  for (;;) {
    await service.settle();
    if (await answers.give()) continue;
    const isUnderWay = (await store.executions.openCount()) > 0;
    const moments = [await store.waits.nextDue(), answers.nextAt].filter((at) => at !== null);
    if (isUnderWay) time.advanceToNext();
    else if (moments.length > 0) time.skip(Math.max(0, Math.min(...moments) - time.clock.now()));
    else if (reply.value === null) time.advanceToNext();
    else return;
  }
}
