import { describe, expect, it } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import type { Catalogue, Component } from '../../component/component.ts';
import type { JsonObject } from '../../json.ts';
import { checkInjection } from './validate-injection.ts';

const offer = { description: 'For tests.', fills: [] } as const;

/** Tools: one that returns text from outside, one that acts, one that acts as its config says. */
const types: Catalogue = new Map([
  ...catalogue,
  like('pages', { effect: 'idempotent', tool: { ...offer, isUntrusted: true } }),
  like('mail', { effect: 'once', tool: offer }),
  like('repository', { effect: 'idempotent', tool: { ...offer, acts: ({ operation }) => operation === 'commit' } }),
  like('request', {
    effect: 'keyed',
    tool: { ...offer, isUntrusted: true, effectOf: ({ method }) => (method === 'GET' ? 'idempotent' : 'keyed') },
  }),
]);

function like(type: string, change: Partial<Component<never>>): [string, Component<never>] {
  const known = catalogue.get('tool');
  if (known === undefined) throw new Error('there is no type tool');
  return [type, { ...known, ...change, type }];
}

function issues(tools: Readonly<Record<string, readonly [type: string, extra: JsonObject]>>, agent: JsonObject = {}) {
  const nodes = Object.entries(tools).map(([id, [type, extra]]) => node(id, type, extra));
  const edges = Object.keys(tools).map((id) => `${id} -tool-> ask`);
  return checkInjection(graph([node('ask', 'caller', agent), ...nodes], edges.join('\n')), types);
}

const pages = ['pages', {}] as const;
const mail = ['mail', {}] as const;

describe('an agent that reads what people outside write and acts outside', () => {
  it('causes a warning that names both tools', () => {
    expect(issues({ look: pages, send: mail })).toEqual([
      {
        code: 'injection_path',
        severity: 'warning',
        nodeId: 'ask',
        message:
          "Node 'ask' can be led by text from outside: 'look' returns what people outside write, and the calls of 'send' act outside without asking a person",
        hint: "Set 'guard' to after_untrusted, or name the tool in 'approve'.",
      },
    ]);
  });

  it.each<[string, JsonObject]>([
    ['the guard', { guard: 'after_untrusted' }],
    ['the approval of the tool', { approve: ['send'] }],
    ['the approval of every tool', { approve: ['*'] }],
  ])('causes none with %s', (_name, agent) => {
    expect(issues({ look: pages, send: mail }, agent)).toEqual([]);
  });

  it('causes none if the tool that acts asks a person, also under another name', () => {
    expect(issues({ look: pages, send: ['mail', { tool: { asks: true } }] })).toEqual([]);
    const named = ['mail', { tool: { name: 'send_mail' } }] as const;
    expect(issues({ look: pages, send: named }, { approve: ['send_mail'] })).toEqual([]);
    expect(issues({ look: pages, send: named }, { approve: ['send'] })).toHaveLength(1);
  });
});

it('what a tool returns counts as its settings say, and how it acts as its config says', () => {
  expect(issues({ look: ['pages', { tool: { untrusted: false } }], send: mail })).toEqual([]);
  expect(issues({ plain: ['tool', { tool: { untrusted: true } }], send: mail })).toHaveLength(1);
  expect(issues({ look: pages, read: ['request', { method: 'GET' }] })).toEqual([]);
  expect(issues({ look: pages, write: ['request', { method: 'POST' }] })).toHaveLength(1);
  expect(issues({ look: pages, read: ['repository', {}] })).toEqual([]);
  expect(issues({ look: pages, write: ['repository', { operation: 'commit' }] })).toHaveLength(1);
});

it('one tool alone, and tools of different agents, cause no warning', () => {
  expect(issues({ write: ['request', { method: 'POST' }] })).toEqual([]);
  const nodes = [node('a', 'caller'), node('b', 'caller'), node('look', 'pages'), node('send', 'mail')];
  expect(checkInjection(graph(nodes, 'look -tool-> a\nsend -tool-> b'), types)).toEqual([]);
});

it('settings and nodes that are wrong cause no error here', () => {
  expect(issues({ look: pages, send: ['mail', { tool: { asks: 'yes' } }] }, { approve: 'all' })).toHaveLength(1);
  expect(checkInjection(graph([node('ask', 'caller')], 'gone -tool-> ask'), types)).toEqual([]);
});
