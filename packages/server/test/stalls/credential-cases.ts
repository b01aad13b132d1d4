import type { Json, JsonObject } from '@millrace/core';
import { post } from './request-cases.ts';
import type { Dice, MakeCase } from './stall-case.ts';

/** Secret variables in many places of a request. */
const manySecrets: MakeCase = (dice) => {
  const names = Array.from({ length: dice.integer(1, 11) }, (_, index) => `secret_${index}`);
  const value = dice.pick(['%', 'a', '"', '\\', 'é', 'ab ']).repeat(dice.size(2000, 2600));
  const secrets = Object.fromEntries(names.map((name, index) => [name, `${index}${value}`]));
  const places = dice.size(500, 4900);
  const place = (index: number): string => `{{ vars.${names[index % names.length] ?? ''} }}`;
  const config: JsonObject = dice.pick<() => JsonObject>([
    () => ({ headers: Object.fromEntries(Array.from({ length: places }, (_, index) => [`x-${index}`, place(index)])) }),
    () => ({ method: 'POST', body: Array.from({ length: places }, (_, index) => place(index)) }),
    () => ({ method: 'POST', body: place(0), headers: { 'content-type': 'text/plain' } }),
    () => ({ query: Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`q${index}`, place(index)])) }),
  ])();
  return {
    kind: 'run',
    name: `${names.length} secrets in ${Object.keys(config).join(', ')}`,
    steps: [{ type: 'http_request', config: { url: '{{ remote }}', ...config } }],
    payload: {},
    answer: JSON.stringify(answerOf(dice, value)),
    secrets,
  };
};

/** What a server repeats of a secret. */
function answerOf(dice: Dice, value: string): Json {
  const count = dice.size(100, 1000);
  return dice.pick<() => Json>([
    () => value.repeat(Math.max(1, count / 10)),
    () => Array.from({ length: count }, () => value.slice(0, 1000)),
    () => Array.from({ length: count }, (_, index) => `${index % 10}${value.slice(0, -1)}`),
    () => encodeURIComponent(value).repeat(Math.max(1, count / 50)),
  ])();
}

/** Credentials that are as large as they may be, or malformed. */
const credentials: MakeCase = (dice) => {
  const size = dice.size(50_000, 500_000);
  const text = dice.pick(['a', '{{ vars.x }}', '%', '\u0000', 'é', '****']);
  const long = text.repeat(Math.floor(size / text.length));
  const credential_type = dice.pick(['tool', 'llm', 'git', 'chat_bot', 'tol']);
  const detail = dice.pick<() => JsonObject>([
    () => ({ config: { scheme: 'bearer', token: long, allowed_hosts: ['example.test'] } }),
    () => ({
      config: { scheme: 'header', name: long.slice(0, 200), secret: long.slice(0, 8000), allowed_hosts: [long] },
    }),
    () => ({ config: Object.fromEntries(Array.from({ length: size / 20 }, (_, index) => [`token${index}`, text])) }),
    () => ({ provider_type: 'provider_a_compatible', api_key: long, base_url: `https://example.test/${long}` }),
    () => ({
      provider_type: 'provider_b',
      api_key: 'k',
      custom_headers: Object.fromEntries(Array.from({ length: size / 20 }, (_, index) => [`h${index}`, text])),
    }),
  ])();
  const name = `credential of ${credential_type}: ${JSON.stringify(detail).slice(0, 40)}`;
  return post(name, '/api/v1/credentials/', { name: 'x', credential_type, detail });
};

/** Credentials and secret variables. */
export const credentialCases: readonly MakeCase[] = [manySecrets, credentials];
