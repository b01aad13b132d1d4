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

/** Finishes the document: named schemas where something refers to them, and words for every answer. */
export const finishDocument: Transform = (document) => {
  const complete = jsonSchemaTransformObject(document) as Record<string, unknown>;
  const paths = describeResponses(complete.paths);
  return { ...complete, paths, components: usedComponents(complete.components, paths) } as ReturnType<Transform>;
};

function describeResponses(paths: unknown): unknown {
  return mapValues(paths, (operations) =>
    mapValues(operations, (operation) => ({
      ...(operation as object),
      responses: mapValues((operation as { responses: unknown }).responses, (response, status) => {
        const given = (response as { description: string }).description;
        return {
          ...(response as object),
          description: given === 'Default Response' ? (words.get(status) ?? given) : given,
        };
      }),
    })),
  );
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
