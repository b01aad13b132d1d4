import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { type OpenapiDocument, operationsOf } from '../support/openapi.ts';
import { Checks, type Sent } from './checks.ts';

const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
const document: OpenapiDocument = {
  openapi: '3.1.0',
  paths: {
    '/things/{slug}/': {
      patch: {
        summary: 'Changes a thing',
        security: [{ apiKey: [] }],
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 9 } }],
        requestBody: { required: true, content },
        responses: {
          200: { description: 'Done.', content },
          401: { description: 'No.' },
          404: { description: 'Nothing.' },
          422: { description: 'Wrong.', content: { 'application/json': { schema: {} } } },
        },
      },
    },
  },
  components: { schemas: { Thing: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } } },
};
const [operation] = operationsOf(document);
if (operation === undefined) throw new Error('the document has no operation');

const sent: Sent = { operation, auth: 'own key', body: { n: 1 }, query: {}, ofMissing: null };
const json = { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' };
const good: Answer = { status: 200, headers: json, text: '{"n":1}', body: { n: 1 } };
const missing: Answer = { status: 404, headers: json, text: '', body: undefined };

function issueOf(change: Partial<Sent>, answer: Partial<Answer> = {}): string | null {
  return new Checks(document).issueOf({ ...sent, ...change }, { ...good, ...answer });
}

describe('the check of responses', () => {
  test('reports nothing for a correct response', () => {
    expect(issueOf({})).toBeNull();
    expect(issueOf({ ofMissing: missing }, missing)).toBeNull();
  });

  test.each<[string, Partial<Sent>, Partial<Answer>]>([
    ['the service failed', {}, { status: 500 }],
    ['status 409 is not documented', {}, { status: 409 }],
    ["the body violates its schema: data must have required property 'n'", {}, { text: '{}' }],
    ['the body is not JSON', {}, { headers: { ...json, 'content-type': 'text/plain' } }],
    ['status 404 has a body', {}, { status: 404 }],
    ['a browser may guess its type', {}, { headers: { 'content-type': json['content-type'] } }],
    [
      'the message is from a library: Invalid input',
      {},
      { status: 422, text: '{"detail":"Invalid input: expected string"}' },
    ],
    ['401 without WWW-Authenticate', {}, { ...missing, status: 401 }],
    ['no key, but 200', { auth: 'no key' }, {}],
    ['wrong key, but 200', { auth: 'wrong key' }, {}],
    ["another user's workflow is not answered like a missing one", { ofMissing: missing }, {}],
    ['a body was accepted that its schema forbids', { body: { n: 'one' } }, {}],
    ['a body was accepted that its schema forbids', { body: undefined }, {}],
    ['?limit was accepted although its schema forbids it', { query: { limit: '10' } }, {}],
  ])('reports: %s', (violation, change, answer) => {
    expect(issueOf(change, answer)).toBe(violation);
  });
});
