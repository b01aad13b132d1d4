import { describe, expect, it } from 'vitest';
import { keyIssue } from './concurrency-key.ts';

describe('a concurrency key', () => {
  it.each([
    'all',
    '{{ trigger.payload.customer }}',
    '{{ input.customer | upper }}-{{ trigger.text }}',
    "{{ vars.group | default('none') }}",
  ])('may be %s', (text) => {
    expect(keyIssue(text)).toBeNull();
  });

  it.each([
    ['{{ trigger. }}', /./],
    ['{{ foo }}', /There is no 'foo' here/],
    ['{{ nodes.hook.payload }}', /There is no 'nodes' here/],
    ['{{ trigger.payload.customer }}-{{ run.id }}', /There is no 'run' here/],
  ])('may not be %s', (text, reason) => {
    expect(keyIssue(text)).toMatch(reason);
  });
});
