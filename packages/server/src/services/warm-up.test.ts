import { catalogue } from '@millrace/components';
import { expect, test } from 'vitest';
import { warmUpChecks } from './warm-up.ts';

test('texts are checked before the first one comes', () => {
  expect(() => warmUpChecks(catalogue)).not.toThrow();
});
