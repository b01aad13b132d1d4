import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = readFileSync(new URL('../../../core/test/interpreter.ts', import.meta.url), 'utf8');

test('the plain interpreter uses nothing of the engine except its graphs and values, and stays short', () => {
  const imports = [...source.matchAll(/from '([^']+)'/g)].map(([, file]) => file).sort();
  expect(imports).toEqual(['../src/graph/graph.ts', '../src/json.ts', './random-world.ts']);
  expect(source.split('\n').length).toBeLessThanOrEqual(300);
});
