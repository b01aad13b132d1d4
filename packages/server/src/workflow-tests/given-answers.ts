import { executionDetail } from '@millrace/contract';
import { type Instant, isEnded } from '@millrace/core';
import type { OpenWait } from '../store/waits.ts';
import type { WaitAnswer } from './test-schema.ts';
import type { Call, TestService } from './test-service.ts';

/** A wait of one of a test's runs. */
interface Waiting extends OpenWait {
  readonly executionId: string;
}

/** An answer with the wait that it is for. */
interface Due {
  readonly answer: WaitAnswer;
  /** Its name in a report. */
  readonly name: string;
  readonly wait: Waiting;
  readonly at: Instant;
}

/** Gives waiting steps the answers of the test, each to the first wait that it matches. */
export class GivenAnswers {
  readonly #service: TestService;
  readonly #left: { readonly answer: WaitAnswer; readonly name: string }[];
  /** Names of waits that were answered. */
  readonly #seen = new Set<string>();
  #due: Due[] = [];
  readonly #failures: string[] = [];

  constructor(service: TestService, answers: readonly WaitAnswer[]) {
    this.#service = service;
    this.#left = answers.map((answer, index) => ({ answer, name: `answers[${index}] (${answer.node})` }));
  }

  /** Answers that no wait used, or that came too late. */
  get failures(): readonly string[] {
    return [...this.#failures, ...this.#left.map(({ name }) => `${name} was never used: no step waited for it.`)];
  }

  /** Gives all answers that are due; true if there was one. */
  async give(): Promise<boolean> {
    const open = await this.#openWaits();
    for (const wait of open) this.#assign(wait);
    const now = this.#service.time.clock.now();
    const due = this.#due.filter(({ at }) => at <= now);
    this.#due = this.#due.filter(({ at }) => at > now);
    for (const one of due) await this.#send(one);
    return due.length > 0;
  }

  /** When the next answer is due; null if there is none. */
  get nextAt(): Instant | null {
    return this.#due.length === 0 ? null : Math.min(...this.#due.map(({ at }) => at));
  }

  async #openWaits(): Promise<readonly Waiting[]> {
    const { executions, waits } = this.#service.store;
    const { items } = await executions.list({ visibleTo: this.#service.user.id, limit: mostRuns, offset: 0 });
    const open = items.filter(({ status }) => !isEnded(status));
    const found = await Promise.all(
      open.map(async ({ id: executionId }) =>
        (await waits.open(executionId)).map((wait) => ({ ...wait, executionId })),
      ),
    );
    return found.flat();
  }

  #assign(wait: Waiting): void {
    const { executionId, frame, nodeId, stage } = wait;
    const name = JSON.stringify([executionId, frame, nodeId, stage]);
    if (this.#seen.has(name)) return;
    const place = this.#left.findIndex(({ answer }) => fits(answer, wait));
    const found = this.#left[place];
    if (found === undefined) return;
    this.#seen.add(name);
    this.#left.splice(place, 1);
    const at = this.#service.time.clock.now() + found.answer.after_seconds * 1000;
    // Time stops there at the latest.
    this.#service.time.timers.after(at - this.#service.time.clock.now(), () => undefined);
    this.#due.push({ ...found, wait, at });
  }

  async #send({ answer, name, wait }: Due): Promise<void> {
    const call = wait.pause.kind === 'approval' ? decision(answer, wait) : await this.#callback(answer, wait);
    const { status, body } = call === null ? noLonger : await this.#service.call(call);
    const reason = status === noLonger.status ? `'${wait.nodeId}' no longer waits` : JSON.stringify(body);
    if (status >= 400) this.#failures.push(`${name} could not be delivered: ${reason}.`);
  }

  async #callback({ body }: WaitAnswer, { executionId, frame, nodeId }: Waiting): Promise<Call | null> {
    const detail = await this.#service.call({ method: 'GET', path: `/api/v1/executions/${executionId}/` });
    const { waits } = executionDetail.parse(detail.body);
    const url = waits.find((wait) => wait.frame === frame && wait.node_id === nodeId)?.callback_url ?? null;
    return url === null ? null : { method: 'POST', path: new URL(url).pathname, body };
  }
}

/** The service's response to an answer that comes too late. */
const noLonger = { status: 409, body: null } as const;

/** More runs than a test starts. */
const mostRuns = 1000;

function fits({ node, frame, confirmed }: WaitAnswer, wait: Waiting): boolean {
  const kind = confirmed === undefined ? 'callback' : 'approval';
  return wait.pause.kind === kind && wait.nodeId === node && (frame ?? wait.frame) === wait.frame;
}

function decision({ confirmed, response }: WaitAnswer, { executionId, frame, nodeId }: Waiting): Call {
  const body = { node_id: nodeId, confirmed, frame, ...(response !== undefined && { response }) };
  return { method: 'POST', path: `/api/v1/executions/${executionId}/resume/`, body };
}
