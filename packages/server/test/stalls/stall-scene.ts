import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, errorTable, isEnded, type Json, type JsonObject } from '@millrace/core';
import { systemTimers } from '../../src/ground/clock.ts';
import { createOutboundClient } from '../../src/outbound/client.ts';
import type { Answer } from '../support/api.ts';
import { Remote } from '../support/remote.ts';
import { addToolCredential } from '../support/requesting.ts';
import { type Member, WholeApp } from '../support/whole-app.ts';
import { answeredSecret } from './answer-cases.ts';
import { LoopWatch, threadMs } from './loop-watch.ts';
import type { EdgeSketch, RequestCase, RunCase, StallCase, StepSketch } from './stall-case.ts';

/** What happened during a case; times in milliseconds of processor time. */
export interface StallReport {
  readonly name: string;
  readonly longestMs: number;
  readonly healthMs: number;
  readonly webhookMs: number;
  readonly tookMs: number;
  /** The largest growth of the memory in use, in megabytes. */
  readonly memoryGrowth: number;
  /** The largest growth of the memory of the process, in megabytes. */
  readonly processGrowth: number;
  /** Steps that the case may perform one after the other. */
  readonly steps: number;
  /** The statuses of its requests, or the end of its execution. */
  readonly outcome: string;
  /** What is wrong with the outcome; null if nothing is. */
  readonly issue: string | null;
}

/** Seconds that a step of a case may take. */
export const stepSeconds = 5;

/** A case that has not ended after this many milliseconds of processor time is given up. */
const givenUpMs = 120_000;
/** The same in time of the clock, for a case that waits without work: longer than any machine needs for its steps. */
const forgottenMs = 600_000;

/** The service with a user who attacks it, and another one who uses it. */
export class StallScene {
  readonly #whole: WholeApp;
  readonly #attacker: Member;
  readonly #other: Member;
  readonly #remote: Remote;
  readonly #watch = new LoopWatch();
  #credentialId = 0;
  #modelId = 0;
  #cases = 0;

  private constructor(parts: { whole: WholeApp; attacker: Member; other: Member; remote: Remote }) {
    this.#whole = parts.whole;
    this.#attacker = parts.attacker;
    this.#other = parts.other;
    this.#remote = parts.remote;
  }

  /** @param path of its database: what a database in memory contains would count as memory of the service */
  static async open(path: string): Promise<StallScene> {
    const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
    const whole = await WholeApp.start(systemTimers, { host: '127.0.0.1', outbound }, path);
    const [attacker, other] = [await whole.member('attacker'), await whole.member('other')];
    const scene = new StallScene({ whole, attacker, other, remote: await Remote.start() });
    await scene.#prepare();
    return scene;
  }

  close(): Promise<void> {
    return this.#whole.close();
  }

  async #prepare(): Promise<void> {
    const config = { scheme: 'bearer', token: answeredSecret, allowed_hosts: [this.#remote.origin] };
    this.#credentialId = await addToolCredential(this.#attacker, config);
    this.#modelId = await addModelCredential(this.#attacker, this.#remote.origin);
    await this.#other.post('/api/v1/workflows/', { name: 'small', slug: 'small' });
    const steps = [{ type: 'template', config: { template: '{{ trigger.payload.a }}' } }];
    await this.#addSteps(this.#other, 'small', { steps });
    // What is used for the first time is compiled first.
    for (let count = 0; count < 20; count += 1) {
      await this.#other.get('/health/');
      await this.#other.post('/api/v1/webhooks/small', { a: count });
    }
    await sleep(100);
  }

  async run(stall: StallCase): Promise<StallReport> {
    const act = stall.kind === 'run' ? await this.#prepareRun(stall) : await this.#prepareRequests(stall);
    const bystander = new Bystander(this.#other);
    this.#watch.start();
    const began = threadMs();
    const watching = bystander.watch();
    const { outcome, issue } = await act();
    const tookMs = threadMs() - began;
    await bystander.end(watching);
    this.#watch.stop();
    this.#remote.forget();
    const { longestMs, memoryGrowth, processGrowth } = this.#watch;
    const { healthMs, webhookMs } = bystander;
    const steps = stall.kind === 'run' ? Math.max(1, stall.steps.length) : 1;
    return {
      name: stall.name,
      longestMs,
      healthMs,
      webhookMs,
      tookMs,
      memoryGrowth,
      processGrowth,
      steps,
      outcome,
      issue: issue ?? bystander.issue,
    };
  }

  async #prepareRun(stall: Omit<RunCase, 'kind' | 'name'>) {
    const { steps, edges, payload, body, answer, inputSchema, secrets, isAwaited = false } = stall;
    this.#cases += 1;
    const slug = `case-${this.#cases}`;
    await this.#attacker.post('/api/v1/workflows/', {
      name: slug,
      slug,
      ...(inputSchema && { input_schema: inputSchema }),
    });
    if (answer !== undefined) {
      const bytes = Buffer.from(answer);
      this.#remote.answer = (_request, response) => void response.end(bytes);
    }
    for (const [name, value] of Object.entries(secrets ?? {})) {
      const variable = { name, value, is_secret: true, allowed_hosts: [this.#remote.origin] };
      const { status, text } = await this.#attacker.post(`/api/v1/workflows/${slug}/variables/`, variable);
      if (status !== 201) throw new Error(text);
    }
    const { type, text } = body ?? { type: 'application/json', text: JSON.stringify(payload) };
    return async (): Promise<Ending> => {
      const rejected = await this.#addSteps(this.#attacker, slug, { steps, isAwaited, ...(edges && { edges }) });
      if (rejected !== null) return endingOf([rejected.status]);
      if (isAwaited) return this.#answered(slug, { type, text });
      const headers = { 'content-type': type };
      const started = await this.#attacker.inject({
        method: 'POST',
        url: `/api/v1/webhooks/${slug}`,
        headers,
        payload: text,
      });
      if (started.status !== 200 && started.status !== 202) return endingOf([started.status]);
      return this.#ended((started.body as { execution_id: string }).execution_id);
    };
  }

  /** The answer is not parsed here: that would count as work of the service. A failed execution is answered with 500. */
  async #answered(slug: string, { type, text }: { readonly type: string; readonly text: string }): Promise<Ending> {
    const { statusCode } = await this.#whole.server.inject({
      method: 'POST',
      url: `/api/v1/webhooks/${slug}`,
      headers: { authorization: `Bearer ${this.#attacker.key}`, 'content-type': type },
      payload: text,
    });
    return statusCode === 500 ? { outcome: 'failed', issue: null } : endingOf([statusCode]);
  }

  async #ended(id: string): Promise<Ending & { readonly id: string }> {
    const began = threadMs();
    const beganAt = performance.now();
    for (;;) {
      const execution = await this.#whole.store.executions.byId(id);
      if (execution !== null && isEnded(execution.status)) {
        const code = execution.failure?.code ?? null;
        return {
          id,
          outcome: `${execution.status} ${code ?? ''}`,
          issue: isExpected(code) ? null : `it ended with ${code}`,
        };
      }
      if (threadMs() - began > givenUpMs || performance.now() - beganAt > forgottenMs) {
        return { id, outcome: 'endless', issue: 'it did not end' };
      }
      await sleep(5);
    }
  }

  async #prepareRequests({ before, requests }: RequestCase) {
    this.#cases += 1;
    const run = before && (await (await this.#prepareRun(before))());
    const slug = `case-${this.#cases}`;
    if (before === undefined) await this.#attacker.post('/api/v1/workflows/', { name: slug, slug });
    const execution = run !== undefined && 'id' in run ? String(run.id) : '';
    const prepared = requests.map(({ method, path, body, isStart = false }) => ({
      isStart,
      method,
      url: path.replace('{{ slug }}', slug).replace('{{ execution }}', execution),
      headers: {
        authorization: `Bearer ${this.#attacker.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    }));
    return async (): Promise<Ending> => {
      const statuses: number[] = [];
      // The answers are not parsed here: that would count as work of the service.
      for (const { isStart, ...request } of prepared) {
        const { statusCode, payload } = await this.#whole.server.inject(request);
        statuses.push(statusCode);
        if (!isStart || statusCode >= 300) continue;
        const { issue } = await this.#ended((JSON.parse(payload) as { execution_id: string }).execution_id);
        if (issue !== null) return { outcome: `its start ${issue}`, issue };
      }
      return endingOf(statuses);
    };
  }

  /** Adds a webhook and the steps after it; an answer that rejects them, or null. */
  async #addSteps(
    api: Member,
    slug: string,
    { steps, edges, isAwaited = false }: Pick<RunCase, 'steps' | 'edges' | 'isAwaited'>,
  ): Promise<Answer | null> {
    const line = steps.map((_step, index): EdgeSketch => ({ from: index - 1, to: index }));
    const hook = isAwaited ? { extra_config: { response_mode: 'last_node', timeout: 30 } } : {};
    const nodes = [{ node_id: 'hook', component_type: 'trigger_webhook', config: hook }, ...steps.map(this.#nodeOf)];
    const operations = [
      ...nodes.map((node) => ({ op: 'create_node', node })),
      ...(edges ?? line).map(({ from, to, label = '' }) => ({
        op: 'create_edge',
        edge: { source_node_id: nodes[from + 1]?.node_id, target_node_id: nodes[to + 1]?.node_id, edge_label: label },
      })),
    ];
    const answer = await api.post(`/api/v1/workflows/${slug}/graph/`, { version: 1, operations });
    return answer.status < 300 ? null : answer;
  }

  #nodeOf = ({ type, config, isSecret = false }: StepSketch, index: number) => ({
    node_id: `step${index}`,
    component_type: type,
    config: subComponents.includes(type)
      ? { ...(type === 'ai_model' && { llm_credential_id: this.#modelId, model_name: 'm' }), extra_config: config }
      : {
          ...(isSecret && { credential_id: this.#credentialId }),
          extra_config: {
            retry: { max_attempts: 1 },
            timeout_seconds: stepSeconds,
            ...withRemote(config, this.#remote.origin),
          },
        },
  });
}

/** Nodes that are no steps, so they have no policies. */
const subComponents: readonly string[] = ['ai_model', 'output_parser'];

interface Ending {
  readonly outcome: string;
  readonly issue: string | null;
}

function endingOf(statuses: readonly number[]): Ending {
  return {
    outcome: statuses.join(' '),
    issue: statuses.some((status) => status >= 500) ? `a request was answered with ${statuses.join(', ')}` : null,
  };
}

/** Errors that a case must not end with: they say that the service failed, not the step. */
const unexpected: readonly ErrorCode[] = ['step_crashed', 'run_invalid', 'run_lost', 'step_unknown'];

function isExpected(code: string | null): boolean {
  return code === null || (code in errorTable && !unexpected.some((each) => each === code));
}

/** A provider whose answers the cases choose. */
async function addModelCredential(api: Member, origin: string): Promise<number> {
  const detail = { provider_type: 'provider_a_compatible', api_key: 'sk-model', base_url: origin };
  const { status, text, body } = await api.post('/api/v1/credentials/', {
    name: 'Model',
    credential_type: 'llm',
    detail,
  });
  if (status !== 201) throw new Error(text);
  return (body as { id: number }).id;
}

function withRemote(config: JsonObject, origin: string): JsonObject {
  const { url } = config;
  return (typeof url === 'string' ? { ...config, url: url.replace('{{ remote }}', origin) } : config) as JsonObject;
}

/** Another user, who sends one small request after the other. */
class Bystander {
  readonly #api: Member;
  #isOver = false;
  /** What is wrong with an answer; null if nothing is. */
  issue: string | null = null;
  healthMs = 0;
  webhookMs = 0;

  constructor(api: Member) {
    this.#api = api;
  }

  watch(): Promise<void> {
    return Promise.all([this.#health(), this.#webhook()]).then(() => undefined);
  }

  async end(watching: Promise<void>): Promise<void> {
    this.#isOver = true;
    await watching;
  }

  #check(name: string, { status, text }: Answer): void {
    if (status !== 200) this.issue ??= `another user's request to ${name} was answered with ${status} ${text}`;
  }

  async #health(): Promise<void> {
    while (!this.#isOver) {
      const began = threadMs();
      this.#check('/health/', await this.#api.get('/health/'));
      this.healthMs = Math.max(this.healthMs, threadMs() - began);
      await sleep(15);
    }
  }

  async #webhook(): Promise<void> {
    while (!this.#isOver) {
      const began = threadMs();
      this.#check('the webhook', await this.#api.post('/api/v1/webhooks/small', { a: 1 } satisfies Json));
      this.webhookMs = Math.max(this.webhookMs, threadMs() - began);
      await sleep(25);
    }
  }
}
