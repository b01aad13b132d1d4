import { expect, test } from 'vitest';
import { safeLink } from './safe-link.ts';

test('only links that lead to other pages are links', () => {
  expect(safeLink('https://example.com/a')).toBe('https://example.com/a');
  expect(safeLink('mailto:a@example.com')).toBe('mailto:a@example.com');
  for (const unsafe of ['javascript:alert(1)', ' JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', '//x', 'x']) {
    expect(safeLink(unsafe)).toBeNull();
  }
});
