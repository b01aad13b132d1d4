import { expect, it } from 'vitest';
import { withNumberBounds } from './schema-numbers.ts';

const [int64, uint64] = ['9223372036854775807', '18446744073709551615'];

it('makes the bounds of a schema numbers wherever they are', () => {
  expect(
    withNumberBounds({
      properties: { maximum: { type: 'integer', maximum: int64, minimum: `-${int64}` } },
      items: { anyOf: [{ exclusiveMaximum: uint64 }, { maxLength: int64 }] },
      $defs: { id: { maximum: '1e400', minimum: '-1e400' } },
    }),
  ).toEqual({
    properties: { maximum: { type: 'integer', maximum: 2 ** 63, minimum: -(2 ** 63) } },
    items: { anyOf: [{ exclusiveMaximum: 2 ** 64 }, { maxLength: 2 ** 63 }] },
    $defs: { id: { maximum: Number.MAX_VALUE, minimum: -Number.MAX_VALUE } },
  });
});

it('changes neither data nor a text that was never a number', () => {
  const schema = {
    default: { maximum: int64 },
    enum: [int64],
    const: int64,
    examples: [{ minimum: int64 }],
    description: int64,
    maximum: '5',
    minimum: `0${int64}`,
  };
  expect(withNumberBounds(schema)).toEqual(schema);
});
