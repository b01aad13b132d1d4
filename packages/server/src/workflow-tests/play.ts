import type { Catalogue } from '@millrace/core';
import { begin, CannotBegin } from './begin.ts';
import { runToTheEnd } from './course.ts';
import type { Difference } from './difference.ts';
import { GivenAnswers } from './given-answers.ts';
import { install, type WorkflowText } from './install.ts';
import { RecordedHttp } from './recorded-http.ts';
import { RecordedModels } from './recorded-models.ts';
import { recordOf } from './run-record.ts';
import type { OpenStage } from './stage.ts';
import type { WorkflowTest } from './test-schema.ts';
import { faultsOf } from './verdict.ts';

/** What tests are played with. */
export interface Theatre {
  readonly open: OpenStage;
  readonly catalogue: Catalogue;
}

/** When a test begins that does not say: the same moment each time, so that nothing depends on the day. */
const usualStart = Date.UTC(2026, 0, 1);

/**
 * Plays one test on a stage of its own, and gives what is wrong, a line or more each.
 * @throws Unreadable for a workflow that the service refuses
 */
export async function play(
  { open, catalogue }: Theatre,
  workflows: readonly WorkflowText[],
  test: WorkflowTest,
): Promise<readonly string[]> {
  const http = new RecordedHttp(test.http);
  const models = new RecordedModels(test.models);
  const stage = await open({
    startTime: test.start_time ?? usualStart,
    http: (request) => http.answer(request),
    askModel: (request) => models.answer(request),
  });
  try {
    const slug = await install(stage, workflows, catalogue);
    const { executionId, reply } = await begin(stage, { slug, test, catalogue });
    const answers = new GivenAnswers(stage, test.answers);
    await runToTheEnd(stage, answers, reply);
    const detail = executionId === null ? null : await stage.store.executions.detail(executionId);
    const outcome = { run: detail && recordOf(detail), reply: reply.value };
    return [...faultsOf(test.expect, outcome).map(asLines), ...http.faults, ...models.faults, ...answers.faults];
  } catch (error) {
    if (error instanceof CannotBegin) return [error.message];
    throw error;
  } finally {
    await stage.close();
  }
}

function asLines({ at, expected, came }: Difference): string {
  return `${at}\n  expected ${expected}\n  came     ${came}`;
}
