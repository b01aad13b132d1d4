import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkResponses } from './response-check.ts';

/** What is found of one answer of a route that documents these; `hide` where it documents nothing on purpose. */
async function foundOf(schema: object, status: number, body: object): Promise<readonly string[]> {
  const app = Fastify();
  // The schemas here are for the check only, as in the service.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  const broken = checkResponses(app);
  app.get('/', { schema }, (_request, reply) => reply.code(status).send(body));
  await app.inject('/');
  await app.close();
  return broken;
}

const named = z.object({ name: z.string() });

test('a success must be as its status documents it, or else all of its hundred', async () => {
  const response = { 201: z.object({ id: z.number() }), '2xx': named };
  expect(await foundOf({ response }, 201, { id: 1 })).toEqual([]);
  expect(await foundOf({ response }, 201, { name: 'a' })).toHaveLength(1);
  expect(await foundOf({ response }, 202, { name: 'a' })).toEqual([]);
  expect(await foundOf({ response }, 202, { name: 1 })).toHaveLength(1);
  expect(await foundOf({ response }, 202, { name: 'a', more: 1 })).toHaveLength(1);
});

test('a success that is not documented is found, except of what is hidden', async () => {
  const response = { 201: named };
  expect(await foundOf({ response }, 200, { name: 'a' })).toEqual(['GET / 200: is not documented']);
  expect(await foundOf({ hide: true }, 200, { name: 'a' })).toEqual([]);
});

test('an error that is not documented has the form of all errors', async () => {
  expect(await foundOf({ response: {} }, 404, { detail: 'Not found.' })).toEqual([]);
  expect(await foundOf({ response: {} }, 404, { message: 'Not found.' })).toHaveLength(1);
});
