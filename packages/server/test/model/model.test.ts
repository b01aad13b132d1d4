import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WholeApp } from '../support/whole-app.ts';
import { type Action, Command } from './action.ts';
import {
  addCredential,
  changeSecret,
  listCredentials,
  readCredential,
  removeCredential,
} from './credential-actions.ts';
import { addEdge, addNode, moveEdge, removeEdge, removeNode, renameNode } from './graph-actions.ts';
import { Model, type Name, type Role } from './model.ts';
import * as sharing from './sharing-actions.ts';
import * as workflows from './workflow-actions.ts';

/** The number of sequences: `npm run test:fuzz` runs 1,000. */
const wanted = Number(process.env.MODEL_RUNS ?? 40);

/**
 * The values that a failure printed, to repeat it: its seed, its path, and the replayPath in the comment behind the
 * commands.
 */
const replay = {
  ...(process.env.FUZZ_SEED !== undefined && { seed: Number(process.env.FUZZ_SEED) }),
  ...(process.env.FUZZ_PATH !== undefined && { path: process.env.FUZZ_PATH }),
};

const replayPath = process.env.FUZZ_REPLAY === undefined ? {} : { replayPath: process.env.FUZZ_REPLAY };

// Mostly one user and one workflow, because independent actions test little.
const user = fc.constantFrom<Name>('first', 'first', 'second');
const slug = fc.constantFrom('a', 'a', 'a', 'a', 'b');
const role = fc.constantFrom<Role>('editor', 'editor', 'viewer');
const nodeId = fc.constantFrom('n1', 'n2', 'n3');
const node = fc.record({ id: nodeId, type: fc.constantFrom('template', 'template', 'switch', 'trigger_manual') });
const secret = fc.constantFrom('', 'short', 'sk-a-long-secret-0001', 'sk-another-secret-0002');
const nth = fc.nat({ max: 5 });
const edge = fc.record({
  source: nodeId,
  target: nodeId,
  condition: fc.constantFrom('', '', '', 'yes'),
  priority: fc.integer({ min: -2, max: 2 }),
});

/** An action by its name, with any arguments. */
function action<Args extends unknown[]>(
  name: string,
  make: (...args: Args) => Action,
  ...args: { [K in keyof Args]: fc.Arbitrary<Args[K]> }
) {
  return fc.tuple(...args).map((given) => new Command(`${name} ${JSON.stringify(given)}`, make(...(given as Args))));
}

/** Creating actions are listed several times, so that they are more frequent than deleting ones. */
const building = [
  action('create', workflows.create, user, slug, fc.boolean()),
  action('share', sharing.share, user, slug, role),
  action('add node', addNode, user, slug, node),
  action('add edge', addEdge, user, slug, edge),
];
const commands = [
  ...building,
  ...building,
  ...building,
  action('read', workflows.read, user, slug),
  action('list', workflows.list, user),
  action('describe', workflows.describe, user, slug, fc.constantFrom('One', 'Two')),
  action('rename', workflows.rename, user, slug, slug),
  action('publish', workflows.publish, user, slug, fc.boolean()),
  action('remove', workflows.remove, user, fc.constant('b')),
  action('remove all', workflows.removeAll, user, fc.constantFrom([], ['b'], ['a', 'b'])),
  action('change role', sharing.changeRole, user, slug, role),
  action('unshare', sharing.unshare, user, slug),
  action('move edge', moveEdge, user, slug, fc.record({ nth, target: nodeId })),
  action('rename node', renameNode, user, slug, fc.record({ from: nodeId, to: nodeId })),
  action('remove node', removeNode, user, slug, nodeId),
  action('remove edge', removeEdge, user, slug, nth),
  action('add credential', addCredential, user, secret),
  action('read credential', readCredential, user, nth),
  action('list credentials', listCredentials, user),
  action('change secret', changeSecret, user, nth, fc.option(secret, { freq: 1 })),
  action('remove credential', removeCredential, user, nth),
];

test('any actions of two users have the results that a simple model predicts', async () => {
  let done = 0;
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: 'max', ...replayPath }), async (sequence) => {
      const whole = await WholeApp.start();
      try {
        const cast = { first: await whole.member('first'), second: await whole.member('second', { isAdmin: true }) };
        const model = new Model();
        await new Command('create', workflows.create('first', 'a', false)).run(model, cast);
        await fc.asyncModelRun(() => ({ model, real: cast }), sequence);
        // At the end the complete state is compared.
        for (const one of ['first', 'second'] as const) {
          await new Command('list', workflows.list(one)).run(model, cast);
          for (const name of ['a', 'b']) await new Command('read', workflows.read(one, name)).run(model, cast);
        }
        expect(whole.errors).toEqual([]);
        done += 1;
      } finally {
        await whole.close();
      }
    }),
    { numRuns: wanted, ...replay },
  );
  expect(done).toBe(wanted);
}, 600_000);
