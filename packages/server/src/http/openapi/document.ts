import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { headersOfStatus, headersOfSuccess } from './headers.ts';
import { type PathParameter, sharedParameters } from './path-parameters.ts';
import { withPlainNames } from './schema-names.ts';

type Transform = NonNullable<FastifyDynamicSwaggerOptions['transformObject']>;

/** Describes a response whose schema has no description. */
const descriptions = new Map([
  ['200', 'Done.'],
  ['201', 'Created.'],
  ['202', 'Accepted.'],
  ['503', 'The service is not available.'],
]);

/** The key under which an operation stores what its schemas do not contain, until the document is finished. */
export const operationNote = 'x-operation-note';

/** Properties of an operation besides its schemas. */
export interface OperationNote {
  readonly isBodyOptional: boolean;
  /** Examples of request bodies. */
  readonly examples: readonly unknown[];
  /** Examples of response bodies, by status. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Parameters of the path that only this route describes. */
  readonly params: Readonly<Record<string, PathParameter>>;
}

/** Finishes the document: plain schema names, descriptions, examples, headers, and the configs of components. */
export const finishWith =
  (configs: Readonly<Record<string, unknown>>): Transform =>
  (document) => {
    const { components, paths, ...complete } = jsonSchemaTransformObject(document) as Record<string, unknown>;
    const { schemas = {}, ...others } = components as { schemas?: Record<string, unknown> };
    const finished = mapValues(paths, (operations) => mapValues(operations, finishOperation));
    const plain = withPlainNames(finished, schemas);
    const whole = {
      ...complete,
      components: { ...others, schemas: { ...plain.schemas, ...configs } },
      paths: plain.rest,
    };
    return whole as unknown as ReturnType<Transform>;
  };

interface Parameter {
  readonly name: string;
  readonly in: string;
}

const noNote: OperationNote = { isBodyOptional: false, examples: [], answers: {}, params: {} };

function finishOperation(operation: unknown): unknown {
  const { [operationNote]: found, parameters, requestBody, ...given } = operation as Record<string, unknown>;
  const note = (found as OperationNote | undefined) ?? noNote;
  return {
    ...given,
    ...(parameters !== undefined && {
      parameters: (parameters as Parameter[]).map((one) => finishParameter(one, note)),
    }),
    ...(requestBody !== undefined && { requestBody: finishBody(requestBody, note) }),
    responses: mapValues(given.responses, (response, status) => {
      const headers = headersOf(status, (parameters as Parameter[] | undefined) ?? []);
      return finishResponse(response, { example: note.answers[status.toLowerCase()], headers, status });
    }),
  };
}

/** The paths of routes contain only the names of their parameters. */
function finishParameter(parameter: Parameter, { params }: OperationNote): unknown {
  const { in: place, name } = parameter;
  return place === 'path' ? { ...parameter, ...(params[name] ?? sharedParameters[name]) } : parameter;
}

function finishBody(body: unknown, { isBodyOptional, examples }: OperationNote): unknown {
  const { content } = body as { content: unknown };
  return { ...(body as object), content: withExamples(content, examples), required: !isBodyOptional };
}

function headersOf(status: string, parameters: readonly Parameter[]): object {
  const ofSuccess = status.startsWith('2') ? parameters.map(({ name }) => headersOfSuccess[name]) : [];
  return Object.assign({}, headersOfStatus[status], ...ofSuccess);
}

interface ResponseParts {
  readonly status: string;
  readonly example: unknown;
  readonly headers: object;
}

function finishResponse(response: unknown, { status, example, headers }: ResponseParts): unknown {
  const { description, content } = response as { description: string; content?: unknown };
  return {
    ...(response as object),
    description: description === 'Default Response' ? (descriptions.get(status) ?? description) : description,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(content !== undefined && example !== undefined && { content: withExamples(content, [example]) }),
  };
}

/** Examples have names in the document; these are numbered. */
function withExamples(content: unknown, examples: readonly unknown[]): unknown {
  if (examples.length === 0) return content;
  const named = Object.fromEntries(examples.map((value, index) => [`example${index + 1}`, { value }]));
  return mapValues(content, (media) => ({ ...(media as object), examples: named }));
}

function mapValues(object: unknown, change: (value: unknown, key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object as object).map(([key, value]) => [key, change(value, key)]));
}
