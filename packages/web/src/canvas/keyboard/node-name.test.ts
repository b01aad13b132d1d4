import { expect, it } from 'vitest';
import { type NodeFacts, nodeName } from './node-name.ts';

const facts: NodeFacts = {
  label: 'Fetch',
  type: 'HTTP request',
  state: null,
  isActive: true,
  problems: 0,
  inputs: { connected: 1, all: 1 },
};

it.each<[Partial<NodeFacts>, string]>([
  [{}, 'Fetch, HTTP request, inputs 1 of 1 connected'],
  [{ state: 'Failed', problems: 1 }, 'Fetch, HTTP request, Failed, 1 problem, inputs 1 of 1 connected'],
  [{ isActive: false, inputs: { connected: 0, all: 3 } }, 'Fetch, HTTP request, disabled, inputs 0 of 3 connected'],
  [{ label: 'Webhook', type: 'Webhook', inputs: { connected: 0, all: 0 }, problems: 2 }, 'Webhook, 2 problems'],
])('with %j the name is %s', (change, name) => {
  expect(nodeName({ ...facts, ...change })).toBe(name);
});
