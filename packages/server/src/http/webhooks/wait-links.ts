import {
  answeredByLink,
  json as anyJson,
  errorBody,
  invalidBody,
  linkAnswerRequest,
  resumedByCallback,
} from '@millrace/contract';
import { isObject, Problem } from '@millrace/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Waits } from '../../services/executions/waits.ts';
import { checkNames } from '../handling/unknown-names.ts';
import { preferHeader } from '../openapi/headers.ts';
import { statusOf } from '../plumbing/errors.ts';
import { answeredPage, answerPageHeaders, questionPage } from './answer-page.ts';
import { isForm, readJsonOrForm } from './json-or-form.ts';
import { publicQuery } from './webhook-headers.ts';

interface WaitLinkRoutes {
  readonly waits: Waits;
  /** In bytes. */
  readonly maxBody: number;
}

const tag = 'Links';
const missing = errorBody.describe('There is nothing at this address.');
const closed = errorBody.describe('It was already answered, or no step waits for it any more.');
const badBody = {
  400: errorBody.describe('The body is not JSON.'),
  413: errorBody.describe('The body is too large.'),
  422: invalidBody.describe('The body breaks a rule.'),
};

const callback = {
  description: 'The address is made for one step of one execution and needs no key. It works once.',
  tags: [tag],
  security: [],
  response: { 200: resumedByCallback, 404: missing, 409: closed },
};

/** The endpoints that answer a waiting step without a key: their address is one. */
export async function addWaitLinks(app: FastifyInstance, { waits, maxBody }: WaitLinkRoutes): Promise<void> {
  // In a context of its own: only here is a body of any type taken. It is parsed when its address was found good.
  await app.register(async (own) => {
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBody }, (_request, body, done) =>
      done(null, body),
    );
    own.route({
      method: 'POST',
      url: '/api/v1/callbacks/:token',
      config: { auth: 'none', fromAnywhere: true, examples: [{ paid: true }] },
      schema: {
        ...callback,
        operationId: 'sendCallback',
        summary: 'Continues an execution that waits for a callback; the body is the output of the step',
        body: anyJson.optional(),
        response: { ...callback.response, ...badBody },
      },
      handler: async (request) => {
        const { executionId } = await waits.call(tokenOf(request), () => payloadOf(request));
        return { status: 'resumed', execution_id: executionId };
      },
    });
    own.route({
      method: 'GET',
      url: '/api/v1/callbacks/:token',
      // Whoever only looks whether there is something at the address must not use it up.
      exposeHeadRoute: false,
      config: { auth: 'none' },
      schema: {
        ...callback,
        operationId: 'openCallback',
        summary: 'Continues an execution that waits for a callback; the query is the output of the step',
      },
      handler: async (request) => {
        const { executionId } = await waits.call(tokenOf(request), () =>
          publicQuery(request.query as Record<string, unknown>),
        );
        return { status: 'resumed', execution_id: executionId };
      },
    });
    addAnswers(own, waits);
  });
}

/** The links of a human confirmation. */
function addAnswers(app: FastifyInstance, waits: Waits): void {
  app.route({
    method: 'GET',
    url: '/api/v1/answers/:token',
    config: { auth: 'none' },
    // For people: a page.
    schema: { hide: true },
    handler: (request, reply) => inPage(reply, async () => questionPage(await waits.question(tokenOf(request)))),
  });
  app.route({
    method: 'POST',
    url: '/api/v1/answers/:token',
    // The page of the link says so little of itself that browsers send its form with the origin `null`.
    config: { auth: 'none', fromAnywhere: true, examples: [{ response: 'Go ahead.' }] },
    schema: {
      operationId: 'sendAnswer',
      summary: 'Approves or declines, as the link says',
      headers: z.object(preferHeader),
      body: linkAnswerRequest.optional(),
      description:
        'The address is made for one answer to one question and needs no key. A form is answered with a page.',
      tags: [tag],
      security: [],
      response: { 200: answeredByLink, 404: missing, 409: closed, ...badBody },
    },
    handler: (request, reply) => {
      const decide = async () => waits.decideByLink(tokenOf(request), responseIn(request, reply));
      if (!isForm(request.headers['content-type'] ?? '')) return decide().then(({ confirmed }) => ({ confirmed }));
      return inPage(reply, async () => {
        const { confirmed } = await decide();
        return answeredPage(
          confirmed ? 'Approved' : 'Declined',
          'Your answer has been stored. You can close this page.',
        );
      });
    },
  });
}

function tokenOf({ params }: FastifyRequest): string {
  return (params as Record<string, string>).token ?? '';
}

function payloadOf({ body, headers }: FastifyRequest) {
  return readJsonOrForm(body as Buffer | undefined, headers['content-type']);
}

/** What the person wrote with their answer. */
function responseIn(request: FastifyRequest, reply: FastifyReply): string {
  const payload = payloadOf(request);
  const unknown = checkNames({ body: linkAnswerRequest }, { request, reply, body: payload });
  if (unknown.length > 0) throw new Problem('invalid', unknown);
  const { response = '' } = isObject(payload) ? payload : {};
  if (typeof response === 'string' && response.length <= maxResponseLength) return response;
  throw new Problem('invalid', `'response' must be a text of at most ${maxResponseLength} characters.`);
}

/** As long as the body of `resume/` may say. */
const maxResponseLength = 10_000;

/** People get pages, also when it cannot be done. */
async function inPage(reply: FastifyReply, make: () => Promise<string>): Promise<FastifyReply> {
  reply.headers(answerPageHeaders);
  try {
    return await reply.send(await make());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return reply.code(statusOf(error)).send(answeredPage('Nothing to answer', error.message));
  }
}
