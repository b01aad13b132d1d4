import { expect, test } from 'vitest';
import { newApiKey, newExecutionId, newNodeSuffix } from './ids.ts';

test('execution ids are UUIDs of version 7 that carry their time', () => {
  const at = Date.UTC(2026, 5, 1);
  for (let n = 0; n < 1000; n += 1) {
    const id = newExecutionId(at);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(at);
  }
});

test('later execution ids sort later, and none is repeated', () => {
  const ids = Array.from({ length: 5000 }, (_, n) => newExecutionId(1_800_000_000_000 + n));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(Array.from({ length: 5000 }, () => newExecutionId(1))).size).toBe(5000);
});

test('API keys are mr_ and 43 url-safe characters', () => {
  expect(newApiKey()).toMatch(/^mr_[A-Za-z0-9_-]{43}$/);
  expect(newApiKey()).not.toBe(newApiKey());
});

test('node suffixes are 8 hex digits', () => {
  expect(newNodeSuffix()).toMatch(/^[0-9a-f]{8}$/);
});
