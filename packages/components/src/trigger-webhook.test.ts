import { describe, expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { triggerWebhook } from './trigger-webhook.ts';

describe('trigger_webhook', () => {
  it('outputs the body, headers and query of the request', async () => {
    const input = { payload: { kind: 'push' }, text: '', headers: { 'x-event': 'push' }, query: { page: '2' } };
    const { outputs } = await perform(triggerWebhook, { input });
    expect(outputs).toEqual({ payload: { kind: 'push' }, headers: { 'x-event': 'push' }, query: { page: '2' } });
  });

  it.each([
    { response_mode: 'respond_node', timeout: 0.5, dedupe_header: 'X-Delivery-Id' },
    { response_mode: 'last_node' },
    { signature: 'none' },
    { signature: 'git_host_a' },
    {},
  ])('accepts the config %j', (config) => {
    expect(triggerWebhook.config.safeParse(config).success).toBe(true);
  });

  it.each([
    { response_mode: 'later' },
    { timeout: 0 },
    { timeout: '30' },
    { dedupe_header: 'a b' },
    { signature: 'md5' },
  ])('rejects the config %j', (config) => {
    expect(triggerWebhook.config.safeParse(config).success).toBe(false);
  });
});
