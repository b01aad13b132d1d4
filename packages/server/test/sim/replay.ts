/**
 * `npm run test:sim` runs very many seeds; `npm run test:sim -- <seed>` runs one of them, without mishaps and with
 * every mishap at every call, and prints the violations.
 */
import { worldKinds } from '@millrace/core/testkit';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { runEveryMishap, runSeeds } from './seeds.ts';

/** Without a seed: ten times as many as the tests run, and different ones. */
const [manySeeds, firstOfMany] = [20_000, 1_000_000];

const seeds = process.argv.slice(2).map(Number);
const began = performance.now();
let failed = 0;
// Some journals are as large as this, so that runs are resumed in both ways; and sub-workflows of a cancelled run end in
// later transactions.
const store = openSqliteStore({ path: ':memory:', largeJournal: 700, endedAtOnce: 1 });
for (const report of await reports()) {
  for (const { seed, plan, violations, sketch } of report.violations) {
    failed += 1;
    console.log(`seed ${seed}, ${plan}:\n  ${violations.join('\n  ')}\n${sketch}\n`);
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${report.seeds} seeds, ${report.runs} runs, ${report.steps} facts, ${report.violations.length} violations, ${seconds} s`,
  );
  if (process.env.SIM_CALLS) console.log(Object.fromEntries([...report.happened].sort()));
}
await store.close();
process.exitCode = failed > 0 ? 1 : 0;

async function reports() {
  if (seeds.length === 0) {
    const count = Math.ceil(Number(process.env.SIM_SEEDS ?? manySeeds) / worldKinds.length);
    const reports = [];
    for (const worldKind of worldKinds) reports.push(await runSeeds(store, { first: firstOfMany, count, worldKind }));
    return reports;
  }
  const each = [];
  for (const seed of seeds) {
    for (const worldKind of worldKinds) {
      each.push(
        await runSeeds(store, { first: seed, count: 1, worldKind }),
        await runEveryMishap(store, seed, { worldKind }),
      );
    }
  }
  return each;
}
