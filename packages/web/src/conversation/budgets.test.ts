import { describe, expect, test } from 'vitest';
import type { ExecutionLog } from '../api/executions.ts';
import { budgetsOf, limitsOf } from './budgets.ts';
import { conversationsOf } from './conversation.ts';

const schema = {
  properties: { max_steps: { default: 25 }, budgets: { properties: { tool_calls: { default: 100 }, tokens: {} } } },
};

function log(frame: string, node_id: string, fields: object): ExecutionLog {
  return { frame, node_id, attempt: 1, status: 'success', input: {}, output: {}, ...fields } as ExecutionLog;
}
const usage = (total_tokens: number, cost_usd: number) => ({ agent: 'ai', usage: { total_tokens, cost_usd } });
const calls = [
  { id: 'a', tool: 'calc', arguments: {} },
  { id: 'b', tool: 'calc', arguments: {} },
];
const [conversation] = conversationsOf({ nodeId: 'ai', frame: '' }, [
  log('ai[0]', 'gpt', { output: { text: '', calls }, metadata: usage(1200, 0.002), duration_ms: 1500 }),
  log('ai[1]', 'calc', { metadata: { agent: 'ai', tool: 'calc', call_id: 'a' }, duration_ms: 40 }),
  log('ai[3]', 'gpt', { output: { text: 'Done.', calls: [] }, metadata: usage(34, 0.00012), duration_ms: 20 }),
]);

describe('the budgets of an agent', () => {
  test('count its calls, tokens, cost and work against the limits of its config', () => {
    const limits = limitsOf({ budgets: { tokens: 5000, usd: 0.5, tool_calls: 2, seconds: 60 }, max_steps: 4 }, schema);
    expect(conversation && budgetsOf(conversation, limits).map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'Model calls: 2 of 4',
      'Tool calls: 1 of 2',
      'Tokens: 1,234 of 5,000',
      'Cost: $0.0021 of $0.5',
      'Seconds of work: 1.6 of 60',
    ]);
  });

  test('are the defaults of the schema where the config has none, and no others', () => {
    expect(limitsOf({}, schema)).toEqual({ modelCalls: 25, toolCalls: 100, tokens: null, usd: null, seconds: null });
    const expression = { budgets: { tokens: '{{ trigger.payload.tokens }}' } };
    expect(limitsOf(expression, undefined)).toMatchObject({ modelCalls: null, tokens: null });
  });
});
