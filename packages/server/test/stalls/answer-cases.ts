import type { JsonObject } from '@millrace/core';
import { largeValue } from './hostile-values.ts';
import type { Dice, MakeCase } from './stall-case.ts';

const MiB = 1_048_576;

/** The secret that the credential of such a case sends: answers repeat its beginning. */
export const answeredSecret = `sk-${'a'.repeat(3000)}b`;

/** An answer of a service, as large as it may be. */
export function answerOf(dice: Dice): string {
  const size = dice.size(2 * MiB, 10 * MiB) - 1_000;
  const kind = dice.pick([
    'lists',
    'objects',
    'keys',
    'deep',
    'numbers',
    'text',
    'secret',
    'secrets',
    'value',
    'spaces',
  ] as const);
  switch (kind) {
    case 'lists':
      return `[${'[],'.repeat(size / 3)}0]`;
    case 'objects':
      return `[${'{},'.repeat(size / 3)}0]`;
    case 'keys':
      return `{${Array.from({ length: keyCount(dice, size / 16) }, (_, index) => `"k${index}":${index % 9}`).join(',')}}`;
    case 'deep':
      return '['.repeat(size / 2) + ']'.repeat(size / 2);
    case 'numbers':
      return `[${'1,'.repeat(size / 2)}0]`;
    case 'text':
      return JSON.stringify('\u0001'.repeat(size / 6));
    case 'secret':
      return JSON.stringify(`sk-${'a'.repeat(size)}`);
    case 'secrets':
      return JSON.stringify(`sk-${'a'.repeat(2990)} `.repeat(size / 3000));
    case 'value':
      return JSON.stringify(largeValue(dice));
    case 'spaces':
      return `[${' '.repeat(size)}1]`;
  }
}

/** More names are rejected before they are parsed, which is seldom worth a case. */
function keyCount(dice: Dice, most: number): number {
  return Math.floor(dice.integer(1, 50) === 1 ? most : Math.min(99_000, most));
}

/** A remote service answers with as much as may come. */
const answered: MakeCase = (dice) => {
  const answer = answerOf(dice);
  const settings: JsonObject = dice.pick<JsonObject>([
    {},
    {},
    { response: 'text' },
    { pagination: { by: 'next_url', next: 'links.next', max_pages: 1, items: 'item|default([])' } },
    {
      pagination: {
        by: 'cursor',
        next: 'item|string|list|sort|join',
        parameter: 'c',
        max_pages: 1,
        items: 'item|list',
      },
    },
  ]);
  const step = {
    type: 'http_request',
    config: { url: '{{ remote }}', ...settings },
    isSecret: dice.pick([true, false]),
  };
  return {
    kind: 'run',
    name: `answer ${answer.slice(0, 8)}… of ${Math.round(answer.length / MiB)} MiB, ${JSON.stringify(settings).slice(0, 60)}${step.isSecret ? ', secret' : ''}`,
    steps: [step],
    payload: {},
    answer,
  };
};

/** Answers of remote services. */
export const answerCases: readonly MakeCase[] = [answered];
