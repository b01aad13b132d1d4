import { catalogue } from '@millrace/components';
import { expect, it } from 'vitest';
import { report } from './tested-files.ts';

it.each([...catalogue.values()])('the example of $type passes its tests in a real service', async ({ example }) => {
  const lines = await report(example?.workflow ?? '', example?.tests ?? '');
  expect(lines).not.toEqual([]);
  expect(lines.filter((line) => !line.startsWith('  ok    '))).toEqual([]);
});
