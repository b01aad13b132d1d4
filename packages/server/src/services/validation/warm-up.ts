import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Catalogue, checkDsl, readDsl } from '@millrace/core';

/**
 * The nodes of the texts, and how often they are checked. V8 compiles code that has run often: these rounds take half a
 * second in all, and halve the time for a large text. Only the first of them take more than 10 ms each.
 */
const nodes = 20;
const rounds = 15;

/**
 * A sixteenth of the longest text in characters, and the nodes that such a text may have: smaller inputs are checked
 * fast even before the code is compiled.
 */
const largeText = 16 * 1024;
const largeGraph = 100;

/** One per catalogue: the process has one catalogue, and the checks of its components are compiled, too. */
const warmUps = new WeakMap<Catalogue, Promise<void>>();

/** The size of the input to check. */
type Size = { readonly characters: number } | { readonly nodes: number };

/**
 * Resolves when an input of this size may be checked. The first large one waits until V8 has compiled the checks, while
 * other requests are served, so that it blocks them no longer than later ones. Without large inputs, a service spends
 * no time and memory on this.
 */
export async function warmFor(size: Size, catalogue: Catalogue): Promise<void> {
  const isLarge = 'nodes' in size ? size.nodes > largeGraph : size.characters > largeText;
  if (!isLarge) return;
  const begun = warmUps.get(catalogue) ?? warmUp(catalogue);
  warmUps.set(catalogue, begun);
  await begun;
}

async function warmUp(catalogue: Catalogue): Promise<void> {
  const world = { catalogue, credentials: new Map(), workflows: new Map(), checkSchema: () => null };
  const texts = [stepsText(), graphText()];
  for (let round = 0; round < rounds; round += 1) {
    for (const text of texts) {
      checkDsl(readDsl(text, catalogue), world);
      await nextTurn();
    }
  }
}

/** Almost correct names and edges to missing nodes: most of the work is to report errors. */
function stepsText(): string {
  const step = (index: number) =>
    `  - {id: s${index}, type: template, template: "{{ s${index - 1}.output }}", after: [s${index + 1}]}\n`;
  return `name: Steps\ntrigger: manual\nsteps:\n${lines(step)}`;
}

function graphText(): string {
  const pair = (index: number) =>
    `  - {id: n${index}, type: template, template: "a {{ nodee${index}.output | upper }}"}\n` +
    `  - {id: w${index}, type: switch, rules: [{id: r, field: start.x, operator: equals, value: 1}]}\n` +
    `  - {id: t${index}, type: trigger_schedule, cron: "${index % 60} 9 31 2 +MON", timezone: Asia/Tokyo}\n` +
    `  - {id: c${index}, type: workflow, workflow: some-${index}, payload: {a: ["{{ start.payload }}", 1]}}\n`;
  const edges = (index: number) => `  - n${index} -> n${index + 1}\n  - start -> w${index}\n`;
  const expressions = lines((index) => `{{ start.text${index} }} {{ w${index}.route }}`).repeat(3);
  const long = `  - {id: long, type: template, template: "${expressions}"}\n`;
  return `name: Graph\nnodes:\n  - {id: start, type: trigger_manual}\n${long}${lines(pair)}edges:\n${lines(edges)}`;
}

function lines(line: (index: number) => string): string {
  return Array.from({ length: nodes }, (_, index) => line(index)).join('');
}
