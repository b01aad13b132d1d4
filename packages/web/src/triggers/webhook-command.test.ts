import { describe, expect, it } from 'vitest';
import type { GraphNode } from '../state/graph.ts';
import { curlCommand, fetchCommand, webhookCall } from './webhook-command.ts';

const trigger = (extra: object): Pick<GraphNode, 'config'> => ({
  config: { extra_config: extra } as unknown as GraphNode['config'],
});
const call = (extra: object) => webhookCall('http://here:7411', 'orders', trigger(extra));

describe('the command that calls a webhook', () => {
  it('has the address without a slash at its end, and a key from the environment', () => {
    expect(curlCommand(call({}), { a: 1 })).toBe(
      `curl \\\n  'http://here:7411/api/v1/webhooks/orders' \\\n  -H "Authorization: Bearer $MILLRACE_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '{"a":1}'`,
    );
  });

  it('needs no key for an open webhook', () => {
    expect(curlCommand(call({ auth: 'none' }), {})).not.toContain('MILLRACE_KEY');
    expect(fetchCommand(call({ auth: 'none' }), {})).not.toContain('authorization');
  });

  it('sends the name and the password of a webhook with basic authentication', () => {
    expect(curlCommand(call({ auth: 'basic' }), {})).toContain('-u "$WEBHOOK_USER:$WEBHOOK_PASSWORD"');
  });

  it('uses the first method, without a body for one that has none', () => {
    expect(curlCommand(call({ methods: ['GET', 'POST'] }), {})).not.toContain('-d');
    expect(curlCommand(call({ methods: ['PUT'] }), {})).toContain('curl -X PUT');
  });

  it('lets no payload leave its quotes', () => {
    expect(curlCommand(call({}), { text: `it's $HOME; rm` })).toContain(`-d '{"text":"it'\\''s $HOME; rm"}'`);
  });
});
