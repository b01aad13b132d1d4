import {
  answeredByLink,
  json as anyJson,
  errorBody,
  invalidBody,
  linkAnswerRequest,
  resumedByCallback,
} from '@millrace/contract';
import { isObject, type Json, Problem } from '@millrace/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Waits } from '../../services/executions/waits.ts';
import { addRawBodies } from '../bodies/body-parser.ts';
import { turnFor } from '../bodies/body-turns.ts';
import { decodedBody } from '../bodies/content-encoding.ts';
import { isForm, readJsonOrForm } from '../bodies/json-or-form.ts';
import { checkNames } from '../handling/unknown-names.ts';
import { preferHeader } from '../openapi/headers.ts';
import { statusOf } from '../plumbing/errors.ts';
import { answeredPage, answerPageHeaders, problemPage, questionPage } from './answer-page.ts';
import { publicQuery } from './webhook-headers.ts';

interface WaitLinkRoutes {
  readonly waits: Waits;
  /** Maximum bytes of a body. */
  readonly maxBody: number;
}

const tag = 'Links';
const missing = errorBody.describe('No step has this URL.');
const closed = errorBody.describe('The step was already answered, or no longer waits.');
const badBody = {
  400: errorBody.describe('The body is not JSON.'),
  413: errorBody.describe('The body is too large.'),
  415: errorBody.describe('The charset or the Content-Encoding of the body is not supported.'),
  422: invalidBody.describe('The body is invalid.'),
};

const callback = {
  description: 'The URL belongs to one step of one execution and needs no API key. It works once.',
  tags: [tag],
  security: [],
  response: { 200: resumedByCallback, 404: missing, 409: closed },
};

/** The endpoints that answer a waiting step without an API key: their URL is a secret. */
export async function addWaitLinks(app: FastifyInstance, { waits, maxBody }: WaitLinkRoutes): Promise<void> {
  // In its own context: only here are bodies of any type accepted. They are parsed after the URL was found to be valid.
  await app.register(async (own) => {
    addRawBodies(own);
    own.route({
      method: 'POST',
      url: '/api/v1/callbacks/:token',
      bodyLimit: maxBody,
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
      // A HEAD request, which only checks the URL, must not use it up.
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
    addAnswers(own, { waits, maxBody });
  });
}

/** The links of a human confirmation. */
function addAnswers(app: FastifyInstance, { waits, maxBody }: WaitLinkRoutes): void {
  app.route({
    method: 'GET',
    url: '/api/v1/answers/:token',
    config: { auth: 'none' },
    // A page for people.
    schema: { hide: true },
    handler: (request, reply) => inPage(reply, async () => questionPage(await waits.question(tokenOf(request)))),
  });
  app.route({
    method: 'POST',
    url: '/api/v1/answers/:token',
    bodyLimit: maxBody,
    // The page of the link sends no referrer, so browsers submit its form with the origin `null`.
    config: { auth: 'none', fromAnywhere: true, examples: [{ response: 'Go ahead.' }] },
    schema: {
      operationId: 'sendAnswer',
      summary: 'Approves or declines, depending on the link',
      headers: z.object(preferHeader),
      body: linkAnswerRequest.optional(),
      description:
        'The URL belongs to one answer to one question and needs no API key. The response to a form is a page.',
      tags: [tag],
      security: [],
      response: { 200: answeredByLink, 404: missing, 409: closed, ...badBody },
    },
    handler: (request, reply) => {
      const decide = async () => waits.decideByLink(tokenOf(request), await responseIn(request, reply));
      if (!isForm(request.headers['content-type'])) return decide().then(({ confirmed }) => ({ confirmed }));
      const closed = async () => questionPage(await waits.question(tokenOf(request)));
      return inPage(reply, async () => answeredPage(await decide()), closed);
    },
  });
}

function tokenOf({ params }: FastifyRequest): string {
  return (params as Record<string, string>).token ?? '';
}

async function payloadOf(request: FastifyRequest): Promise<Json> {
  const body = request.body as Buffer | undefined;
  const bytes = body && (await decodedBody(request, body, request.routeOptions.bodyLimit));
  await turnFor(bytes);
  return readJsonOrForm(bytes, request.headers['content-type']);
}

/** The comment on the answer. */
async function responseIn(request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const payload = await payloadOf(request);
  const unknown = checkNames({ body: linkAnswerRequest }, { request, reply, body: payload });
  if (unknown.length > 0) throw new Problem('invalid', unknown);
  if (!isObject(payload))
    throw new Problem('invalid', 'The body must be an object, for example {"response": "Go ahead."}.');
  const { response = '' } = payload;
  if (typeof response === 'string' && response.length <= maxResponseLength) return response;
  throw new Problem('invalid', `'response' must be text of at most ${maxResponseLength} characters.`);
}

/** The same maximum as in the body of `resume/`. */
const maxResponseLength = 10_000;

/** A form gets a page as the response, even for an error. `closed` makes the one for an answer that came too late. */
async function inPage(
  reply: FastifyReply,
  make: () => Promise<string>,
  closed: (() => Promise<string>) | null = null,
): Promise<FastifyReply> {
  reply.headers(answerPageHeaders);
  try {
    return await reply.send(await make());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const page = error.kind === 'conflict' && closed !== null ? await closed() : problemPage(error.message);
    return reply.code(statusOf(error)).send(page);
  }
}
