/** The maximum length of a text. */
const limit = 256 * 1024;

/**
 * The maximum number of values and lines of a text, minus a few for its head: a text that is rejected before it is
 * parsed tests nothing.
 */
const mostValues = 49_900;

/** Repeats what `piece` returns for 0, 1, 2… until a text has the maximum size. */
function fill(piece: string | ((index: number) => string), head = '', tail = ''): string {
  const make = typeof piece === 'string' ? () => piece : piece;
  const parts = [head];
  let length = head.length + tail.length;
  let values = valuesIn(head) + valuesIn(tail);
  for (let index = 0; ; index += 1) {
    const part = make(index);
    length += part.length;
    values += valuesIn(part);
    if (length > limit || values > mostValues) return parts.join('') + tail;
    parts.push(part);
  }
}

function valuesIn(text: string): number {
  return text.match(/[\n\r,:[{]|[-?][ \t]/g)?.length ?? 0;
}

function times(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join('');
}

const head = 'name: B\nnodes:\n  - {id: start, type: trigger_manual}\n';

/** Endless brackets, indents and indicators: they overflow a stack, or make a parser backtrack again and again. */
const structure: Readonly<Record<string, string>> = {
  'opening brackets': '['.repeat(limit),
  'opening braces': '{'.repeat(limit),
  'brackets in braces': fill('[{'),
  'maps in maps': fill('{a: '),
  'two thousand balanced brackets': `${'['.repeat(1000)}${']'.repeat(1000)}`,
  'brackets under a key': `a: ${'['.repeat(5000)}`,
  dashes: fill('- '),
  'question marks': fill('? '),
  colons: fill(': '),
  'keys in keys on one line': fill('a: '),
  'one level deeper each line': times(700, (index) => `${' '.repeat(index)}a:\n`),
  'one level less each line': times(700, (index) => `${' '.repeat(700 - index)}a: b\n`),
  'lists one level deeper each line': times(700, (index) => `${' '.repeat(index)}-\n`),
  'empty flow maps': fill(',', '{'),
  'empty flow lists': fill(',', '['),
  'question marks in braces': fill('? ', '{'),
  'sixty levels, repeated': fill(`${'['.repeat(60)}${']'.repeat(60)},`, '[', ']'),
  'complex keys in complex keys': fill('{? '),
  'keys that are lists': fill('? [a]\n: b\n'),
  'closing brackets': fill(']'),
};

/** Aliases, tags and directives, which expand when they are parsed, or create other objects. */
const references: Readonly<Record<string, string>> = {
  'a billion laughs': `a: &a [x,x,x,x,x,x,x,x,x]\n${times(
    8,
    (i) =>
      `b${i}: &b${i} [${Array(9)
        .fill(i === 0 ? '*a' : `*b${i - 1}`)
        .join(',')}]\n`,
  )}`,
  'a quadratic blow-up': fill('*a,', `a: &a "${'x'.repeat(50_000)}"\nb: [`, ']'),
  'a recursive alias': 'a: &a [*a]',
  'merge keys': fill('  <<: *a\n', 'a: &a {x: 1}\nb:\n'),
  'undefined aliases': fill('- *x\n'),
  anchors: fill('- &x y\n'),
  'anchors on anchors': fill('&x '),
  tags: fill('- !!str x\n'),
  'tags on tags': fill('!!x '),
  'tags with code': 'a: !!js/function "function () { return 1 }"\nb: !!python/object/apply:os.system ["id"]',
  'binary and timestamps': `a: !!binary ${'QUJD'.repeat(1000)}\nb: !!timestamp 2001-01-01`,
  'sets and ordered maps': 'a: !!set {x, y}\nb: !!omap [x: 1]\nc: !!pairs [x: 1]',
  'a long tag directive': `%TAG ! tag:${'x'.repeat(200_000)}\n---\na`,
  directives: fill('%YAML 1.2\n'),
  documents: fill('---\n'),
  'ends of documents': fill('...\n'),
};

/** Scalars that are long, unusual or never end. */
const scalars: Readonly<Record<string, string>> = {
  'an unterminated quoted text': `a: "${'x'.repeat(200_000)}`,
  'unterminated quoted lines': fill('x\n ', 'a: "'),
  escapes: fill('\\x41', 'a: "', '"'),
  apostrophes: fill("''", "a: '"),
  'plain text on many lines': fill('x\n  ', 'a: '),
  'a block of empty lines': fill('\n', 'a: |\n'),
  'a folded block': fill(' x\n\n', 'a: >\n'),
  'blocks with huge indents': fill('a: |9\n'),
  'a key of 200,000 letters': `${'k'.repeat(200_000)}: 1`,
  keys: fill((index) => `k${index}: 1\n`),
  'the same key': fill('k: 1\n'),
  comments: fill('#\n'),
  'one comment': '#'.repeat(limit),
  tabs: '\t'.repeat(limit),
  spaces: ' '.repeat(limit),
  'carriage returns': '\r'.repeat(limit),
  'byte order marks': '\ufeff'.repeat(80_000),
  'null bytes': 'a: "\\0"\n\0',
  'lone surrogates': `a: "\\ud800"\nb: "\\udfff"`,
  digits: `a: ${'9'.repeat(200_000)}`,
  'a float of many digits': `a: 0.${'1'.repeat(100_000)}e${'9'.repeat(100_000)}`,
  'special numbers': fill('- .nan\n- -.inf\n'),
  prototypes:
    '__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\nnodes: [{id: a, type: __proto__}]',
};

const loops = (count: number) => times(count, (i) => `  - {id: l${i}, type: loop, items: "{{ [1] }}"}\n`);
const steps = (count: number) => times(count, (i) => `  - {id: b${i}, type: template, template: x}\n`);

/** Many loops: each determines the nodes of its body, and each node the loops around it. */
const manyLoops: Readonly<Record<string, string>> = {
  'loops in loops': `${head}${loops(900)}${steps(1)}edges:\n  - start -> l0\n${times(900, (i) => {
    const inner = i === 899 ? 'b0' : `l${i + 1}`;
    return `  - l${i} -loop_body-> ${inner}\n  - ${inner} -loop_return-> l${i}\n`;
  })}`,
  'loops with one body': `${head}${loops(900)}${steps(900)}edges:\n${times(900, (i) => `  - start -> l${i}\n  - l${i} -loop_body-> b0\n  - b899 -loop_return-> l${i}\n`)}${times(899, (i) => `  - b${i} -> b${i + 1}\n`)}`,
  'loops in a row': `${head}${loops(900)}${steps(900)}edges:\n  - start -> l0\n${times(900, (i) => `  - l${i} -loop_body-> b${i}\n  - b${i} -loop_return-> l${i}\n`)}${times(899, (i) => `  - l${i} -> l${i + 1}\n`)}`,
};

/** Valid YAML, of workflows that are the worst case for every check. */
const workflows: Readonly<Record<string, string>> = {
  'identical nodes': fill('  - {id: a, type: notes}\n', head),
  'nodes of unknown types': fill((index) => `  - {id: n${index}, type: trigger_manua${index}}\n`, head),
  'edges to missing nodes': fill((index) => `  - start -> n${index}\n`, `${head}edges:\n`),
  'edges to misspelled nodes': fill(
    (index) => `  - start -> node_with_a_long_name_${index}x\n`,
    `${head}${times(1500, (index) => `  - {id: node_with_a_long_name_${index}, type: notes}\n`)}edges:\n`,
  ),
  'misspelled names': fill(
    (index) => `  - {id: n${index}, type: template, template: "{{ nodee${index}.output }}"}\n`,
    head,
  ),
  'one text of expressions': fill(
    (index) => `{{ start.text${index} }}`,
    `${head}  - {id: a, type: template, template: "`,
    '"}\nedges: [start -> a]\n',
  ),
  'one deep expression': `${head}  - {id: a, type: template, template: "{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}"}\n`,
  'one long expression': fill('+ 1 ', `${head}  - {id: a, type: template, template: "{{ 1 `, '}}"}\n'),
  'a chain': `${head}${times(1990, (i) => `  - {id: n${i}, type: template, template: "{{ n${(i * 7) % 1990}.output }}"}\n`)}edges:\n${times(1989, (i) => `  - n${i} -> n${i + 1}\n`)}`,
  cycles: `${head}${times(1900, (i) => `  - {id: n${i}, type: notes}\n`)}edges:\n${times(1900, (i) => `  - n${i} -> n${i ^ 1}\n`)}`,
  'a ladder': `${head}${times(1000, (i) => `  - {id: n${i}, type: notes}\n`)}edges:\n${times(999, (i) => `  - n${i} -> n${i + 1}\n  - start -> n${i}\n  - n${i} -error-> n${(i * 31) % 1000}\n`)}`,
  'a switch of many rules': fill(
    (index) => `{id: r${index}, field: start.x, operator: equals, value: 1},`,
    `${head}  - {id: s, type: switch, rules: [`,
    ']}\n',
  ),
  'dates that never occur': fill(
    (index) =>
      `  - {id: s${index}, type: trigger_schedule, cron: "${index % 60} ${index % 23} 31 2,4,6,9,11 +MON", timezone: Asia/Tokyo}\n`,
    head,
  ),
  'missing workflows': fill(
    (index) =>
      `  - {id: n${index}, type: workflow, workflow: some-${index}, payload: {a: ["{{ trigger.payload }}", 1]}}\n`,
    head,
  ),
  'unknown keys': fill((index) => `descriptio${index}: 1\n`, head),
  'positions of missing nodes': fill((index) => `  star${index}: [0, 0]\n`, `${head}layout:\n`),
  steps: fill(
    (index) => `  - {id: s${index}, type: template, after: [s${index + 1}]}\n`,
    'name: B\ntrigger: manual\nsteps:\n',
  ),
  'steps in steps': `name: B\nsteps:\n${times(20, (i) => `${'    '.repeat(i)}  - id: l${i}\n${'    '.repeat(i)}    type: loop\n${'    '.repeat(i)}    body:\n`)}`,
  'both forms': fill((index) => `  - {id: s${index}, type: template}\n`, 'name: B\nnodes: []\nsteps:\n'),
  'a schema of patterns': `${head}input_schema: {type: string, pattern: "^(a+)+$"}\noutput_schema: {$ref: "#/a", a: {$ref: "#/a"}}\n`,
};

/** Hostile texts by their kind. None may block a parser, use excessive memory, or crash it. */
export const yamlBombs: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...structure, ...references, ...scalars, ...workflows, ...manyLoops }),
);

/** @throws Error for an unknown name, so that a renamed bomb does not become an empty test */
export function yamlBomb(name: string): string {
  const text = yamlBombs.get(name);
  if (text === undefined) throw new Error(`there is no YAML bomb '${name}'`);
  return text;
}
