import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { jsonSchemaTransformObject } from 'fastify-type-provider-zod';

type Transform = NonNullable<FastifyDynamicSwaggerOptions['transformObject']>;

/** What an answer is called that its route says nothing more about. */
const words = new Map([
  ['200', 'Done.'],
  ['201', 'Made.'],
  ['202', 'Accepted.'],
  ['503', 'Not now.'],
]);

/** Where an operation keeps what is known of its body besides the schema, until the document is finished. */
export const bodyNote = 'x-body-note';

/** What is known of a body besides its schema. */
export interface BodyNote {
  readonly isOptional: boolean;
  readonly examples: readonly unknown[];
}

/** Finishes the document: named schemas where something refers to them, and words for every answer. */
export const finishDocument: Transform = (document) => {
  const complete = jsonSchemaTransformObject(document) as Record<string, unknown>;
  const paths = mapValues(complete.paths, (operations) => mapValues(operations, finishOperation));
  return { ...complete, paths, components: usedComponents(complete.components, paths) } as ReturnType<Transform>;
};

function finishOperation(operation: unknown): unknown {
  const { [bodyNote]: note, ...given } = operation as Record<string, unknown>;
  const responses = mapValues(given.responses, describeResponse);
  if (note === undefined) return { ...given, responses };
  return { ...given, requestBody: finishBody(given.requestBody, note as BodyNote), responses };
}

function finishBody(body: unknown, { isOptional, examples }: BodyNote): unknown {
  const { content } = body as { content: unknown };
  const named = Object.fromEntries(examples.map((value, index) => [`example${index + 1}`, { value }]));
  const media = mapValues(content, (one) => ({ ...(one as object), ...(examples.length > 0 && { examples: named }) }));
  return { ...(body as object), content: media, required: !isOptional };
}

function describeResponse(response: unknown, status: string): unknown {
  const { description } = response as { description: string };
  const said = description === 'Default Response' ? (words.get(status) ?? description) : description;
  return { ...(response as object), description: said };
}

function mapValues(object: unknown, change: (value: unknown, key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object as object).map(([key, value]) => [key, change(value, key)]));
}

/** Each named schema comes in the form of requests and in that of answers: most are used in one of them. */
function usedComponents(components: unknown, paths: unknown): unknown {
  const { schemas = {}, ...others } = components as { schemas?: Record<string, unknown> };
  const used = new Set(namesIn(paths));
  for (const name of used) for (const inner of namesIn(schemas[name] ?? {})) used.add(inner);
  return { ...others, schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))) };
}

function namesIn(value: unknown): readonly string[] {
  const found = JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...found].flatMap(([, name]) => (name === undefined ? [] : [name]));
}
