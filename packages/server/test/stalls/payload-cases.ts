import { largeValue } from './hostile-values.ts';
import type { Dice, MakeCase } from './stall-case.ts';

const MiB = 1_048_576;

/** The most characters of a webhook's body, with some room. */
const most = 5 * MiB - 2_000;

function jsonText(dice: Dice): string {
  const size = dice.size(MiB, most);
  const repeated = (unit: string): string => unit.repeat(Math.floor(size / unit.length));
  return dice.pick<() => string>([
    () => JSON.stringify(largeValue(dice)),
    () => `[${repeated('1,')}1]`,
    () => `[${repeated('"",')}1]`,
    () => `[${repeated('[],')}1]`,
    () => `[${repeated('{},')}1]`,
    () => `[${repeated('{"a":1,"b":"c"},')}1]`,
    () => `[${repeated('1e5,')}1]`,
    () => `[${repeated('0.1234567890123456789,')}1]`,
    () => `[${'9'.repeat(size)}]`,
    () => `"${repeated('\\u0001')}"`,
    () => `"${repeated('\\"')}"`,
    () => `"${repeated('é')}"`.slice(0, size / 2),
    () => `{"a":${repeated(' ')}1}`,
    () => `${'['.repeat(63)}${repeated('1,')}1${']'.repeat(63)}`,
    () => '['.repeat(size),
    () => repeated('{"a":'),
    () => `{${repeated('"a":1,')}"a":1}`,
    () => `{${Array.from({ length: Math.min(99_000, size / 20) }, (_, index) => `"__proto__${index}":1`).join(',')}}`,
  ])();
}

/** A JSON body of each shape, valid or not. */
const jsonBody: MakeCase = (dice) => {
  const text = jsonText(dice);
  return { ...received(`JSON ${text.slice(0, 12)}…`, dice), body: { type: 'application/json', text } };
};

function otherText(dice: Dice): readonly [type: string, text: string] {
  const size = dice.size(MiB, most);
  const repeated = (unit: string): string => unit.repeat(Math.floor(size / unit.length));
  const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n';
  const fieldStart = '--x\r\ncontent-disposition: form-data; name="a"\r\n';
  return dice.pick([
    ['application/x-www-form-urlencoded', `a=${repeated('%41')}`],
    ['application/x-www-form-urlencoded', repeated('a=1&')],
    ['application/x-www-form-urlencoded', Array.from({ length: 990 }, (_, index) => `n${index}=1`).join('&')],
    ['multipart/form-data; boundary=x', `${part.repeat(Math.min(990, size / part.length))}--x--\r\n`],
    ['multipart/form-data; boundary=x', repeated(part)],
    ['multipart/form-data; boundary=x', repeated('--x\r\n')],
    ['multipart/form-data; boundary=x', `--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n${repeated('\r\n-')}`],
    ['multipart/form-data; boundary=x', repeated('--x\r\nContent-Disposition : form-data; name="a"\r\n\r\n1\r\n')],
    ['multipart/form-data; boundary=x', repeated('--x\r\n\r\n')],
    ['multipart/form-data; boundary=x', repeated('--x\r\na: b\r\n')],
    ['multipart/form-data; boundary=x', `${fieldStart}${repeated('a: b\r\n')}\r\n1\r\n--x--\r\n`],
    ['multipart/form-data; boundary=x', `${fieldStart}a: ${repeated('b')}\r\n\r\n1\r\n--x--\r\n`],
    ['multipart/form-data; boundary=x', `${fieldStart}\r\n${repeated('\r\n--')}\r\n--x--\r\n`],
    ['multipart/form-data; boundary=x', repeated('a')],
    [`multipart/form-data; boundary=${'-'.repeat(150)}`, repeated('-')],
    [`multipart/form-data; boundary=${'-'.repeat(150)}x`, repeated(`\r\n${'-'.repeat(150)}`)],
    [
      'multipart/form-data; boundary=x',
      `--x\r\ncontent-disposition: form-data; name="${repeated('\\"').slice(0, 16_000)}\r\n\r\n1\r\n--x--\r\n`,
    ],
    [
      'multipart/form-data; boundary=x',
      `${fieldStart}content-transfer-encoding: base64\r\n\r\n${repeated('====')}\r\n--x--\r\n`,
    ],
    ['application/x-www-form-urlencoded', repeated('%')],
    ['application/x-www-form-urlencoded', repeated('+')],
    ['application/x-www-form-urlencoded; charset=shift_jis', repeated('%81%41')],
    ['application/x-www-form-urlencoded; charset=gb18030', `a=${repeated('%81%30')}`],
    ['application/json; charset=utf-16le', repeated('1,')],
    ['application/json; charset=iso-8859-1', `[${repeated('1,')}1]`],
    ['text/plain; charset=gb18030', repeated('a0')],
    ['text/xml', `<?xml ${repeated(' ')}`],
    ['text/xml', `<?xml ${repeated('encoding=')}?>`],
    ['text/plain', repeated('a ')],
    ['application/xml', repeated('<a>')],
    ['application/octet-stream', repeated('x')],
  ] as const);
}

/** A body of another type. */
const otherBody: MakeCase = (dice) => {
  const [type, text] = otherText(dice);
  return { ...received(`${type}: ${JSON.stringify(text.slice(0, 12))}…`, dice), body: { type, text } };
};

function received(name: string, dice: Dice) {
  const template = dice.pick(['{{ trigger.payload }}', '{{ input|length }}', '{{ trigger.text }}', 'x']);
  const steps = [{ type: 'template', config: { template } }];
  return { kind: 'run', name: `payload ${name} in ${template}`, steps, payload: null } as const;
}

/** Bodies of webhooks. */
export const payloadCases: readonly MakeCase[] = [jsonBody, otherBody];
