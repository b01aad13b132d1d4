import type { Json } from '@millrace/core';
import type { Dice } from './stall-case.ts';

const MiB = 1_048_576;

/** A text, and a part of it that a simple search finds only after it has compared nearly all of both. */
export function nearMiss(dice: Dice): { readonly text: string; readonly part: string } {
  const text = 'a'.repeat(dice.size(MiB / 2, MiB));
  const half = dice.size(100, 200_000);
  const part = dice.pick([
    `${'a'.repeat(half)}b`,
    `b${'a'.repeat(half)}`,
    `${'a'.repeat(half)}b${'a'.repeat(half)}`,
    `${'a'.repeat(half)}`.concat('c'),
  ]);
  return { text, part };
}

/** A text of up to a megabyte, of a kind that a parser or a search may stumble over. */
export function longText(dice: Dice): string {
  const length = dice.size(MiB / 4, MiB);
  const unit = dice.pick(['a', ' ', '9', 'ab', '.', 'a.', '{{', '%', '\\', '"', '\n', 'é', '😀', '<', "'", '-', '&a=']);
  return unit.repeat(Math.floor(length / unit.length));
}

/** An object with many keys. */
export function wideObject(dice: Dice): Json {
  const count = dice.size(20_000, 99_000);
  const prefix = dice.pick(['', 'k', 'key-', 'constructor']);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index % 7]));
}

/** A list with many items of one kind. */
export function longList(dice: Dice): Json {
  const kind = dice.pick(['numbers', 'texts', 'objects', 'lists', 'mixed'] as const);
  const count = kind === 'objects' ? dice.size(10_000, 45_000) : dice.size(30_000, 95_000);
  return Array.from({ length: count }, (_, index): Json => {
    if (kind === 'numbers') return (index * 7919) % 50_021;
    if (kind === 'texts') return `item ${index % 1000}`;
    if (kind === 'objects') return { id: index, group: index % 10, name: `n${index}`, a: { b: 1 } };
    if (kind === 'lists') return [index % 3];
    return index % 2 === 0 ? index : { id: index };
  });
}

/** Lists and objects in one another, as deep as a body may be, with a wide end. */
export function deepValue(dice: Dice): Json {
  let value: Json = Array.from({ length: dice.size(1000, 90_000) }, (_, index) => index % 5);
  const isList = dice.pick([true, false]);
  for (let depth = 0; depth < 60; depth += 1) value = isList ? [value] : { a: value };
  return value;
}

/** Objects of which each has other names. */
function differentObjects(dice: Dice): Json {
  const names = dice.size(1, 10);
  return Array.from({ length: dice.size(1000, 95_000) / names }, (_, index) =>
    Object.fromEntries(Array.from({ length: names }, (_name, at) => [`n${index}_${at}`, at])),
  );
}

/** As many small values as fit into a body. */
function smallValues(dice: Dice): Json {
  const value = dice.pick<Json>([0, '', null, true, [], {}, [0], { a: 0 }]);
  const most = typeof value === 'object' && value !== null ? 240_000 : 1_500_000;
  return Array.from({ length: dice.size(most / 4, most) }, () => value);
}

/** A large value of any kind. */
export function largeValue(dice: Dice): Json {
  return dice.pick([longText, wideObject, longList, deepValue, differentObjects, smallValues])(dice);
}
