import { expect, it } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import type { Catalogue, Component } from '../../component/component.ts';
import { checkMemories } from './validate-memories.ts';

/** The types of the test graphs, with a memory and a chat trigger. */
const types: Catalogue = new Map([
  ...catalogue,
  ['memory', like('model', { outputs: [{ name: 'memory', dataType: 'memory', description: 'A memory.' }] })],
  ['trigger_chat', like('start', {})],
]);

function like(type: string, change: Partial<Component<never>>): Component<never> {
  const known = catalogue.get(type);
  if (known === undefined) throw new Error(`there is no type ${type}`);
  return { ...known, ...change };
}

function issues(starts: readonly string[], edges = 'past -memory-> ask') {
  const triggers = starts.map((type, index) => node(`start${index}`, type));
  return checkMemories(graph([...triggers, node('ask', 'asks'), node('past', 'memory')], edges), types);
}

it('a memory causes a warning if no chat starts the workflow', () => {
  const message = "Node 'past' has nothing to remember: no trigger_chat or trigger_chat_bot starts the workflow";
  const issue = { code: 'no_conversation', severity: 'warning', nodeId: 'past', message };
  expect(issues(['start'])).toEqual([issue]);
  expect(issues([])).toEqual([issue]);
});

it('an unused memory causes no warning', () => {
  expect(issues(['start'], 'start0 -> ask')).toEqual([]);
});

it('one chat trigger is enough, whatever else starts the workflow', () => {
  expect(issues(['start', 'trigger_chat'])).toEqual([]);
});

it('a node connected as a memory that is none causes no warning here', () => {
  expect(issues(['start'], 'start0 -memory-> ask')).toEqual([]);
});
