import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { type MediaType, type OpenapiDocument, type Operation, operationsOf } from '../support/openapi.ts';
import { WholeApp } from '../support/whole-app.ts';

let document: OpenapiDocument;
let operations: readonly Operation[];
let ajv: Ajv2020;

beforeAll(async () => {
  const whole = await WholeApp.start();
  document = await whole.document();
  operations = operationsOf(document);
  await whole.close();
  // Not strict: the document's own keywords (`example`) are allowed.
  ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
});

const jsonType = 'application/json';

/** Every JSON body of the document: its role, where its example belongs, its schema and its examples. */
function bodies(): { readonly what: string; readonly remedy: string; readonly media: MediaType }[] {
  return operations.flatMap(({ name, raw }) => {
    const request = raw.requestBody?.content?.[jsonType];
    const answers = Object.entries(raw.responses).flatMap(([status, { content }]) => {
      const media = content?.[jsonType];
      const remedy = "give its schema an example: named('Thing', schema, { description: '…', example: {…} })";
      return media === undefined ? [] : [{ what: `The answer ${status} of ${name}`, remedy, media }];
    });
    if (request === undefined) return answers;
    const remedy = 'add `examples: [{…}]` to its route, beside `body`';
    return [{ what: `The request body of ${name}`, remedy, media: request }, ...answers];
  });
}

describe('every operation of the OpenAPI document', () => {
  it('has a unique operationId: a verb and its object', () => {
    const missing = operations
      .filter(({ raw }) => !/^[a-z]+[A-Z][A-Za-z]+$/.test(raw.operationId ?? ''))
      .map(({ name }) => `${name} has no operationId: add one to its route, e.g. operationId: 'createWorkflow'.`);
    expect(missing).toEqual([]);
    const byId = Map.groupBy(operations, ({ raw }) => raw.operationId);
    const shared = [...byId].filter(([, users]) => users.length > 1);
    expect(shared.map(([id, users]) => `${id} is used by ${users.map(({ name }) => name).join(' and ')}.`)).toEqual([]);
  });

  it('has a named schema for every body', () => {
    const unnamed = bodies()
      .filter(({ media }) => typeof media.schema.$ref !== 'string')
      .map(({ what }) => `${what} has no named schema: wrap it in named('Thing', schema, { description: '…' }).`);
    expect(unnamed).toEqual([]);
  });

  it('has an example of every body', () => {
    const without = bodies()
      .filter(({ media }) => Object.keys(media.examples ?? {}).length === 0)
      .map(({ what, remedy }) => `${what} has no example: ${remedy}.`);
    expect(without).toEqual([]);
  });

  it('has only examples that match their schemas', () => {
    const broken = bodies().flatMap(({ what, media }) => {
      const validate = ajv.compile({ ...media.schema, components: document.components });
      return Object.entries(media.examples ?? {}).flatMap(([key, { value }]) =>
        validate(value) ? [] : [`${what}: ${key} breaks its schema: ${ajv.errorsText(validate.errors)}.`],
      );
    });
    expect(broken).toEqual([]);
  });

  it('describes every parameter', () => {
    const undescribed = operations.flatMap(({ name, parameters }) =>
      parameters
        .filter(({ description = '' }) => description === '')
        .map(({ in: place, name: parameter }) =>
          place === 'path'
            ? `${name} does not describe its path parameter {${parameter}}: add it to the params of its route.`
            : `${name} does not describe its ${place} parameter ${parameter}: add .describe('…') to its schema.`,
        ),
    );
    expect(undescribed).toEqual([]);
  });

  it('describes every answer', () => {
    const undescribed = operations.flatMap(({ name, raw }) =>
      Object.entries(raw.responses)
        .filter(([, { description }]) => description === '' || description === 'Default Response')
        .map(([status]) => `${name} does not describe its answer ${status}: add .describe('…') to its schema.`),
    );
    expect(undescribed).toEqual([]);
  });
});

describe('the headers of the document', () => {
  const headersOf = (id: string): string[] =>
    operations
      .filter(({ raw }) => raw.operationId === id)
      .flatMap(({ parameters }) => parameters.filter(({ in: place }) => place === 'header').map(({ name }) => name));

  it('contain the idempotency key and the signatures of webhooks', () => {
    expect(headersOf('startByWebhook')).toEqual(
      expect.arrayContaining(['Idempotency-Key', 'X-Webhook-Signature', 'X-Hub-Signature-256', 'X-Gitlab-Token']),
    );
    expect(headersOf('replayExecution')).toContain('Idempotency-Key');
  });

  it('contain the preference of strict handling, and the warnings of answers without it', () => {
    expect(headersOf('createWorkflow')).toEqual(['Prefer']);
    const created = operations.find(({ raw }) => raw.operationId === 'createWorkflow')?.raw.responses['201'];
    expect(Object.keys(created?.headers ?? {})).toEqual(['Millrace-Warning', 'Preference-Applied']);
  });

  it('contain when to retry after 429 and 503, and how to authenticate after 401', () => {
    const headers = operations.flatMap(({ raw }) =>
      Object.entries(raw.responses)
        .filter(([status]) => ['401', '429', '503'].includes(status))
        .map(([status, response]) => [status, ...Object.keys(response.headers ?? {})].join(' ')),
    );
    expect(new Set(headers)).toEqual(new Set(['401 WWW-Authenticate', '429 Retry-After', '503 Retry-After']));
  });
});

describe('the named schemas of the document', () => {
  it('have descriptions', () => {
    const undescribed = Object.entries(document.components.schemas)
      .filter(([, { description = '' }]) => description === '')
      .map(([name]) => name);
    expect(undescribed).toEqual([]);
  });

  it('have a single name each, if requests and answers use the same form', () => {
    expect(Object.keys(document.components.schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
  });
});
