import { expect, it } from 'vitest';
import { linkTokensIn, openTokenLength, withoutLinkTokens } from './link-tokens.ts';

const words = (kind: string) => Buffer.from(JSON.stringify([kind, '01980000-0000-7000-8000-000000000000', '', 'ask']));
const tokenOf = (kind: string) => `${words(kind).toString('base64url')}.0a1b2c3d.${'-_aZ09'.repeat(7)}x`;
const answer = tokenOf('answer');
const callback = tokenOf('callback');

it('finds the tokens in JSON, in addresses inside addresses, in HTML and before a full stop', () => {
  const url = `https://flows.example/api/v1/answers/${answer}`;
  const texts = [
    JSON.stringify({ [url]: [url] }),
    encodeURIComponent(url),
    `<a href="${url}">Yes</a>`,
    `Use ${answer}.`,
  ];
  for (const text of texts) {
    expect(linkTokensIn(text)).toEqual([answer]);
    expect(withoutLinkTokens(text)).toBe(text.replaceAll(answer, '****'));
  }
});

it('hides only the selected tokens', () => {
  const text = `${answer} ${callback}`;
  expect(linkTokensIn(text)).toEqual([answer, callback]);
  expect(withoutLinkTokens(text, (token) => token === callback)).toBe(`${answer} ****`);
});

it('leaves other texts, also the part of a token without its signature', () => {
  for (const text of ['', 'WyJ', answer.slice(0, 60), words('other').toString('base64url'), 'Why not? W.']) {
    expect(withoutLinkTokens(text)).toBe(text);
  }
});

it('takes time in proportion to a text that nearly has tokens everywhere', () => {
  for (const part of [answer.slice(0, 15), answer.slice(0, 3), `${answer.slice(0, 15)}.`, 'W']) {
    const text = `${part.repeat(Math.ceil(4_000_000 / part.length))} `;
    const began = performance.now();
    linkTokensIn(text);
    withoutLinkTokens(text);
    openTokenLength(text);
    expect(performance.now() - began).toBeLessThan(2000);
  }
});

it('measures the end of a text that may be the beginning of a token, wherever it is cut', () => {
  const text = `See ${answer}`;
  for (let end = 'See '.length + 1; end <= text.length; end += 1) {
    expect(openTokenLength(text.slice(0, end))).toBe(end - 'See '.length);
  }
  expect(openTokenLength(`${text} and more`)).toBe(0);
  expect(openTokenLength('x'.repeat(20_000))).toBe(0);
});
