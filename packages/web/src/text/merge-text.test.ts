import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Document, parse, visit } from 'yaml';
import { mergedText } from './merge-text.ts';

const text = `# Greets the caller.
name: Greeting   # the name

# The steps.
nodes:
  # Starts it.
  - id: start
    type: trigger_manual   # by hand
  # Says it.

  - {id: say, type: template, template: 'Hello'} # one line
  - id: ask
    label: "Ask"   # a label
    type: http_request
    url: http://x/   # the address
    headers:
      # a header
      a: 1 # one
      b: 2
    body: |
      first
      second
# The lines.
edges:
  - start  ->  say # first
  # then
  - say -> ask
layout:
  start: [0, 0]   # left
  say: [200, 0]
  ask: [400, 0]
`;

interface Sketch {
  name: string;
  tags?: string[];
  nodes?: Record<string, unknown>[];
  edges?: unknown[];
  layout?: Record<string, number[]>;
}

function set(object: object | undefined, key: string, value: unknown): void {
  Object.assign(object ?? {}, { [key]: value });
}

/** Lists of positions are printed on one line, as in an exported text. */
function canonical(sketch: Sketch): string {
  const document = new Document(sketch);
  visit(document, { Seq: (_key, list) => set(list, 'flow', typeof list.toJSON()[0] === 'number') });
  return document.toString({ lineWidth: 0 });
}

const before = (): Sketch => {
  const sketch = parse(text) as Sketch;
  return { ...sketch, edges: ['start -> say', 'say -> ask'] };
};

function merge(change: (sketch: Sketch) => void, of = text): string {
  const sketch = before();
  const old = canonical(sketch);
  change(sketch);
  const result = mergedText(of, { before: old, after: canonical(sketch) });
  if (result === null) throw new Error('not merged');
  return result;
}

const node = (sketch: Sketch, id: string): Record<string, unknown> => {
  const found = sketch.nodes?.find((one) => one.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};

test('a text stays as it is if nothing changes', () => {
  expect(merge(() => undefined)).toBe(text);
});

test.each<[string, (sketch: Sketch) => void, string, string]>([
  [
    'a moved node changes one line',
    (s) => set(s.layout, 'start', [10, 20]),
    'start: [0, 0]   # left',
    'start: [ 10, 20 ]   # left',
  ],
  [
    'a value keeps the comment behind it',
    (s) => set(node(s, 'ask'), 'url', 'http://y/'),
    'url: http://x/   # the address',
    'url: http://y/   # the address',
  ],
  ['a value inside an object', (s) => set(node(s, 'ask'), 'headers', { a: 5, b: 2 }), 'a: 1 # one', 'a: 5 # one'],
  [
    'a text of several lines gets the comment above it',
    (s) => set(node(s, 'ask'), 'url', 'a\nb\n'),
    'url: http://x/   # the address',
    '# the address\n    url: |\n      a\n      b',
  ],
  ['a removed key', (s) => void delete node(s, 'ask').body, '    body: |\n      first\n      second\n', ''],
  [
    'a node on one line',
    (s) => set(node(s, 'say'), 'template', 'Bye'),
    "{id: say, type: template, template: 'Hello'}",
    '{id: say, type: template, template: Bye}',
  ],
  ['a renamed node', (s) => set(node(s, 'ask'), 'id', 'call'), '- id: ask\n', '- id: call\n'],
  ['a removed edge', (s) => void s.edges?.shift(), '  - start  ->  say # first\n', ''],
  ['a new edge', (s) => void s.edges?.push('start -> ask'), '  - say -> ask\n', '  - say -> ask\n  - start -> ask\n'],
  [
    'a new field of the workflow',
    (s) => set(s, 'tags', ['a']),
    'layout:\n  start: [0, 0]   # left\n  say: [200, 0]\n  ask: [400, 0]\n',
    'layout:\n  start: [0, 0]   # left\n  say: [200, 0]\n  ask: [400, 0]\ntags:\n  - a\n',
  ],
])('%s', (_title, change, old, wanted) => {
  expect(text).toContain(old);
  const merged = merge(change);
  expect(merged).toBe(text.replace(old, wanted));
});

test('a text with a syntax error is not merged', () => {
  expect(mergedText('name: [', { before: 'name: a\n', after: 'name: b\n' })).toBeNull();
});

const names = ['start', 'say', 'ask', 'one', 'two'];
const value = fc.oneof(
  fc.constantFrom(
    '',
    'plain',
    'two\nlines',
    'two\nlines\n',
    ' # not a comment',
    '- x',
    'a: b',
    'a\n\n b\n',
    'yes',
    "it's",
  ),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.constantFrom('a', 'b: c', 3), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c d'), fc.constantFrom('x', 'y\nz\n', 1, null), { maxKeys: 3 }),
);

const edit: fc.Arbitrary<(sketch: Sketch) => void> = fc.oneof(
  fc
    .tuple(fc.nat(), fc.constantFrom('url', 'body', 'headers', 'label', 'template', 'type'), value)
    .map(([index, key, given]) => (s: Sketch) => {
      const one = s.nodes?.[index % Math.max(1, s.nodes.length)];
      if (one !== undefined) one[key] = given;
    }),
  fc.tuple(fc.nat(), fc.constantFrom('url', 'body', 'headers', 'label')).map(([index, key]) => (s: Sketch) => {
    delete s.nodes?.[index % Math.max(1, s.nodes.length)]?.[key];
  }),
  fc.tuple(fc.nat({ max: 5 }), fc.constantFrom(...names), value).map(([index, id, given]) => (s: Sketch) => {
    if (s.nodes?.every((one) => one.id !== id)) s.nodes.splice(index, 0, { id, type: 'template', template: given });
  }),
  fc.nat({ max: 4 }).map((index) => (s: Sketch) => {
    const [gone] = s.nodes?.splice(index, 1) ?? [];
    delete s.layout?.[String(gone?.id)];
    if (s.nodes?.length === 0) delete s.nodes;
  }),
  fc
    .tuple(fc.nat({ max: 4 }), fc.constantFrom(...names), fc.constantFrom(...names))
    .map(([index, a, b]) => (s: Sketch) => {
      const name = `${a} -> ${b}`;
      if (s.edges?.every((one) => one !== name)) s.edges.splice(index, 0, name);
    }),
  fc.nat({ max: 4 }).map((index) => (s: Sketch) => {
    s.edges?.splice(index, 1);
    if (s.edges?.length === 0) delete s.edges;
  }),
  fc.tuple(fc.constantFrom(...names), fc.nat()).map(([id, x]) => (s: Sketch) => {
    s.layout = { ...s.layout, [id]: [x, 0] };
  }),
  fc.constantFrom('a', 'b').map((tag) => (s: Sketch) => set(s, 'tags', [tag, 'c'])),
  fc.constant((s: Sketch) => void delete s.tags),
);

test('after any edits, the text describes the new workflow, and keeps the comments around it', () => {
  fc.assert(
    fc.property(fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), (rounds) => {
      const sketch = before();
      let merged = text;
      for (const edits of rounds) {
        const old = canonical(sketch);
        for (const change of edits) change(sketch);
        const next = mergedText(merged, { before: old, after: canonical(sketch) });
        if (next === null) throw new Error(`not merged:\n${merged}`);
        merged = next;
        const { edges = [], ...read } = parse(merged) as Sketch;
        const plain = edges.map((one) => String(one).replace(/\s+/g, ' '));
        expect({ ...read, ...(plain.length > 0 && { edges: plain }) }).toEqual(sketch);
      }
      expect(merged).toMatch(/^# Greets the caller\.\nname: Greeting {3}# the name\n/);
    }),
    { numRuns: 300 },
  );
});
