import { expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { triggerGit } from './trigger-git.ts';

it('outputs the event and what the host says about it', async () => {
  const payload = { ref: 'refs/heads/main' };
  const input = { payload, text: 'push', headers: { 'x-github-event': 'push' }, query: {} };
  expect(await perform(triggerGit, { input })).toEqual({ outputs: { event: 'push', payload } });
});

it.each([
  [{ events: [] }],
  [{ events: [''] }],
  [{ branches: 'main' }],
  [{ branch: ['main'] }],
])('rejects the config %j', (config) => {
  expect(triggerGit.config.safeParse(config).success).toBe(false);
});
