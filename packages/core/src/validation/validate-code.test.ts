import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../test/cpu-time.ts';
import { nodesNamedIn } from './validate-code.ts';

const named = (source: string) => nodesNamedIn(source).map(({ name }) => name);

describe('the nodes named in code', () => {
  it.each([
    ['return nodes.fetch.result + nodes.fetch.status;', ['fetch']],
    ['return nodes?.a?.b ?? nodes . b;', ['a', 'b']],
    [`return nodes['a'].x + nodes["b"].y + nodes?.['c'];`, ['a', 'b', 'c']],
    ['const { x } = nodes.a;\nreturn [...nodes.b.list];', ['a', 'b']],
    [`return \`Hello \${nodes.a.name}, \${ \`\${nodes.b.x}\` }!\` + nodes.c.x`, ['a', 'b', 'c']],
    [`return \`\${[{ x: nodes.a.x }].map(({ x }) => { return x; })} nodes.old \${nodes.b.x}\``, ['a', 'b']],
    [`if (input) { return \`$\${nodes.a.price}\`; }`, ['a']],
  ])('are found: %s', (source, names) => {
    expect(named(source)).toEqual(names);
  });

  it.each([
    '// nodes.old was here\nreturn 1;',
    '/* nodes.old\nnodes.older */ return 1;',
    '/* nodes.old',
    `return 'nodes.old' + "nodes.old" + \`nodes.old\`;`,
    `return 'it\\'s nodes.old';`,
    `return \`\\\${nodes.old} \${input} nodes.old $ {nodes.old}\`;`,
    `return \`\${input} nodes.old`,
    'return input.nodes.length + mynodes.x + nodes_.x + $nodes.x;',
    'return nodes.hasOwnProperty("a") || nodes.constructor;',
  ])('do not include similar text: %s', (source) => {
    expect(named(source)).toEqual([]);
  });

  it.each([
    'const nodes = input.tree; return nodes.length;',
    'return input.map((nodes) => nodes.length);',
    'return input.map(nodes => nodes.length);',
    'for (const nodes of input) { sum += nodes.size; }\nreturn sum;',
    'const { nodes } = input; return nodes.first;',
    'return nodes[input.name].x + nodes.old;',
  ])('are not reported if nodes may be something else: %s', (source) => {
    expect(named(source)).toEqual([]);
  });

  it.each([
    '/*',
    "'",
    '"',
    '`',
    '\\',
    '`\\',
    `\`\${`,
    '`$',
    '`}',
    '{',
    'nodes ',
    'nodes. ',
    "nodes['",
    'nodes?.[ ',
  ])('are found quickly in any code: %s', (piece) => {
    // A few milliseconds; a search in quadratic time takes much longer than the limit.
    expect(cpuMs(() => named(piece.repeat(65_536 / piece.length)))).toBeLessThan(10_000);
  });
});
