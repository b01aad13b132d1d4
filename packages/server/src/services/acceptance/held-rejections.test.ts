import { expect, test } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import { HeldRejections } from './held-rejections.ts';

test('in a flood of rejections a thousand wait for a fifth of a second, and the others do not wait', async () => {
  const time = new VirtualTime();
  const rejections = new HeldRejections(time);
  let ended = 0;
  const reject = async (): Promise<void> => {
    await rejections.wait();
    ended += 1;
  };
  for (let count = 0; count < 100; count += 1) await reject();
  expect(ended).toBe(100);
  const held = Array.from({ length: 1000 }, reject);
  await reject();
  expect(ended).toBe(101);
  time.advance(199);
  await reject();
  expect(ended).toBe(102);
  time.advance(1);
  await Promise.all(held);
  expect(ended).toBe(1102);
  time.advance(800);
  await reject();
  expect(time.pending).toBe(0);
});
