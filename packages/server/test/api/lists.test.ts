import { afterAll, describe, expect, it } from 'vitest';
import { filled, paramsOf } from '../matrix/requests.ts';
import { castOf } from '../matrix/roles.ts';
import { newScene } from '../matrix/scene.ts';
import { WholeApp } from '../matrix/whole-app.ts';
import { type OpenapiDocument, operationsOf } from '../support/openapi.ts';

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

const document = JSON.parse((await app.server.inject({ url: '/openapi.json' })).payload) as OpenapiDocument;
const lists = operationsOf(document).filter(({ parameters }) => parameters.some(({ name }) => name === 'offset'));

describe('a list', () => {
  it.each(
    lists.map((one) => [one.name, one] as const),
  )('%s accepts any whole number as its offset, and each parameter once', async (_name, list) => {
    const path = list.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const url = filled(path, await paramsOf(app, cast, path, await newScene(app, cast)));
    for (const role of ['owner', 'admin'] as const) {
      const headers = { authorization: `Bearer ${cast.keys.get(role)}` };
      const first = await app.server.inject({ url, headers });
      if (first.statusCode !== 200) continue;
      const { total } = first.json<{ total: number }>();
      for (const offset of ['2147483649', '9007199254740993', '18446744073709551616', '9'.repeat(400)]) {
        const answer = await app.server.inject({ url: `${url}?offset=${offset}`, headers });
        expect([answer.statusCode, answer.json()]).toEqual([200, { items: [], total }]);
      }
      expect((await app.server.inject({ url: `${url}?offset=00`, headers })).json()).toEqual(first.json());
      const repeated = await app.server.inject({ url: `${url}?limit=1&offset=0&limit=2`, headers });
      const issue = { type: 'value_error', loc: ['query', 'limit'], msg: 'is repeated: send it once' };
      expect([repeated.statusCode, repeated.json()]).toMatchObject([422, { detail: [issue] }]);
      expect((await app.server.inject({ url: `${url}?offset=1e3`, headers })).statusCode).toBe(422);
    }
  });
});
