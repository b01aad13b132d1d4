import { compileConfig } from '@millrace/core';
import { expect, it } from 'vitest';
import { outputParser } from './output-parser.ts';

it('outputs a parser and is never a step', () => {
  expect(outputParser.outputs).toMatchObject([{ name: 'parser', dataType: 'output_parser' }]);
  expect(outputParser.run).toBeUndefined();
});

it('has no expressions: braces in a pattern or a schema are literal', () => {
  const config = { parser: 'regex', pattern: '{{ (.*) }}', schema: { const: '{{ 1 + }}' } };
  expect(compileConfig(config, outputParser)).toMatchObject({ isStatic: true, source: config });
});
