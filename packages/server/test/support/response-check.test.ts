import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkResponses } from './response-check.ts';

/** What is reported for one response of a route with this documentation; `hide` for a route without documentation. */
async function foundOf(schema: object, status: number, body: object): Promise<readonly string[]> {
  const app = Fastify();
  // As in the service, the schemas are only used for the check.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  const broken = checkResponses(app);
  app.get('/', { schema }, (_request, reply) => reply.code(status).send(body));
  await app.inject('/');
  await app.close();
  return broken;
}

const named = z.object({ name: z.string() });

test('a success must match the schema of its status, or else of its range', async () => {
  const response = { 201: z.object({ id: z.number() }), '2xx': named };
  expect(await foundOf({ response }, 201, { id: 1 })).toEqual([]);
  expect(await foundOf({ response }, 201, { name: 'a' })).toHaveLength(1);
  expect(await foundOf({ response }, 202, { name: 'a' })).toEqual([]);
  expect(await foundOf({ response }, 202, { name: 1 })).toHaveLength(1);
  expect(await foundOf({ response }, 202, { name: 'a', more: 1 })).toHaveLength(1);
});

test('an undocumented success is reported, except for hidden routes', async () => {
  const response = { 201: named };
  expect(await foundOf({ response }, 200, { name: 'a' })).toEqual(['GET / 200: is not documented']);
  expect(await foundOf({ hide: true }, 200, { name: 'a' })).toEqual([]);
});

test('an undocumented error has the general form of errors', async () => {
  expect(await foundOf({ response: {} }, 404, { detail: 'Not found.' })).toEqual([]);
  expect(await foundOf({ response: {} }, 404, { message: 'Not found.' })).toHaveLength(1);
});
