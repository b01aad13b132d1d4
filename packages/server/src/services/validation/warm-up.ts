import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Catalogue, checkDsl, readDsl } from '@millrace/core';

/**
 * How many nodes the texts have, and how often they are checked. The engine compiles what has been busy for a while:
 * these take half a second in all, and halve what a large text takes. Only the first of them take more than 10 ms each.
 */
const nodes = 20;
const rounds = 15;

/** Characters, a sixteenth of the longest text, and nodes that such a text may have: fewer are checked soon by cold code, too. */
const largeText = 16 * 1024;
const largeGraph = 100;

/** One per catalogue: the process has one, and what the engine compiles includes the checks of its components. */
const warmUps = new WeakMap<Catalogue, Promise<void>>();

/** What is about to be read and checked. */
type Size = { readonly characters: number } | { readonly nodes: number };

/**
 * Resolves when something of this size may be checked. The first that is large waits until the engine has compiled what
 * checks it, while others are served: then it keeps them waiting no longer than later ones do. A service to which nobody
 * gives anything large spares time and memory for that.
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

/** Names that are almost right and edges to nowhere: saying what is wrong is most of the work. */
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
