import { globSync } from 'node:fs';

/**
 * One process of the check.
 * `proof`: a text in its output if it ran to its end. Biome's launcher exits with 0 even if Biome was killed.
 * @typedef {{ name: string, args: string[], proof?: RegExp }} Step
 */

/**
 * TypeScript 7, which takes a quarter of the processor time of TypeScript 6. Version 6 stays for the tools that use it as a
 * library: 7 has no stable interface for them.
 */
const tsc = 'node_modules/typescript-7/bin/tsc';

/** @type {Step[]} The slow steps first, so that the fast ones fill the gaps. */
export const staticSteps = [
  { name: 'types: everything', args: [tsc, '-p', '.', '--singleThreaded'] },
  {
    name: 'format and lint',
    args: [
      'node_modules/@biomejs/biome/bin/biome',
      'ci',
      '--error-on-warnings',
      '--colors=off',
      '--max-diagnostics=none',
    ],
    proof: /^Checked \d+ files/m,
  },
  // Again without the types of Node and browsers, which the first step makes visible to every file.
  { name: 'types: no platform', args: [tsc, '-p', 'packages', '--singleThreaded'] },
  // With the types of browsers, which no other package may use.
  { name: 'types: web', args: [tsc, '-p', 'packages/web', '--singleThreaded'] },
  { name: 'dead code', args: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  ...globSync('scripts/check-*.mjs').map((file) => ({ name: file.replace(/^.*check-|\.mjs$/g, ''), args: [file] })),
];
