import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const parts = ['interpreter.ts', 'interpreted-calls.ts', 'step-value.ts'];
const sources = parts.map((part) => readFileSync(new URL(`../../../core/test/${part}`, import.meta.url), 'utf8'));

test('the plain interpreter uses nothing of the engine except its graphs and values, and stays short', () => {
  const imports = sources.flatMap((source) => [...source.matchAll(/from '([^']+)'/g)].map(([, file]) => file));
  const own = [...parts, 'random-world.ts'].map((part) => `./${part}`);
  const others = new Set(imports.filter((file) => file !== undefined && !own.includes(file)));
  expect([...others].sort()).toEqual(['../src/graph/graph.ts', '../src/json.ts']);
  expect(sources.join('').split('\n').length).toBeLessThanOrEqual(400);
});
