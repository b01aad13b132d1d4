import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { slowFiles } from './test-order.ts';

test('every file that must run first exists', () => {
  expect(slowFiles.filter((file) => !existsSync(join(import.meta.dirname, '..', file)))).toEqual([]);
});
