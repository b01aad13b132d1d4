import { globSync } from 'node:fs';

/**
 * One process of the check.
 * `proof`: what its output has when it came to its end. Biome's launcher exits with 0 when Biome itself was killed.
 * @typedef {{ name: string, args: string[], proof?: RegExp }} Step
 */

const tsc = 'node_modules/typescript/bin/tsc';

/** @type {Step[]} The slow ones first, so that the quick ones fill the gaps. */
export const staticSteps = [
  { name: 'types: everything', args: [tsc, '--project', '.'] },
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
  // Again without the types of Node and of browsers, which the first step lets every file see.
  { name: 'types: no platform', args: [tsc, '-p', 'packages'] },
  { name: 'dead code', args: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  ...globSync('scripts/check-*.mjs').map((file) => ({ name: file.replace(/^.*check-|\.mjs$/g, ''), args: [file] })),
];
