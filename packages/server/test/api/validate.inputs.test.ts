import { describe, expect, it } from 'vitest';
import { settingIssues } from '../support/setting-issues.ts';

describe('an input that neither an edge nor the config supplies', () => {
  it.each([
    ['http_request', "Node 'a' has no value for its input 'url': set its url, or connect a node whose output is text"],
    [
      'calculator',
      "Node 'a' has no value for its input 'expression': set its expression, or connect a node whose output is text",
    ],
    ['loop', "Node 'a' has no value for its input 'items': set its items, or connect a node whose output is array"],
    ['filter', "Node 'a' has no value for its input 'input': connect a node whose output is array"],
  ])('is reported for %s', async (component_type, message) => {
    expect(await settingIssues([{ node_id: 'a', component_type }])).toEqual([
      { code: 'missing_input', severity: 'error', node_id: 'a', message },
    ]);
  });

  it.each([
    ['http_request', { url: 'https://shop.example' }],
    ['calculator', { expression: '1 + 1' }],
    ['loop', { items: [1] }],
    ['human_confirmation', {}],
  ])('is not reported for %s with %j', async (component_type, extra_config) => {
    expect(await settingIssues([{ node_id: 'a', component_type, config: { extra_config } }])).toEqual([]);
  });
});
