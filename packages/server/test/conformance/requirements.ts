import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Part, Row } from './row.ts';

const root = join(import.meta.dirname, '../../../..');

/** `// Requirement id: text`, and the line below it. The text is at one test of each requirement. */
const comment = /^ *\/\/ Requirement (?<id>[\w.-]+)(?:: (?<says>.+))?\n(?<next>.*)$/gm;
const title = /^ *(?:it|test|describe)(?:\.each\(.*\))?\((?<quote>['"`])(?<title>.*?)\k<quote>/;

/** The requirements that comments in test files state. @throws Error for a comment that is not above a test */
export function requirementsInTests(): readonly Row[] {
  const files = globSync('packages/*/{src,test}/**/*.{test,testsuite}.ts', { cwd: root }).sort();
  return joined(files.flatMap((file) => requirementsIn(nameOf(file), readFileSync(join(root, file), 'utf8'))));
}

/** The name of a test file in rows, as `namedTest` reads it. */
function nameOf(file: string): string {
  return file.replace(/^packages\/(server\/test\/(api\/)?)?/, '').replace(/\.(test|testsuite)\.ts$/, '');
}

/** The requirements in the source of one test file; a row for each comment. */
export function requirementsIn(file: string, source: string): readonly Row[] {
  return [...source.matchAll(comment)].map(({ groups }) => {
    const { id = '', says = '', next = '' } = groups ?? {};
    const test = title.exec(next)?.groups?.title;
    if (test === undefined) throw new Error(`${file}: the requirement ${id} must be in the line above a test`);
    return { id, says, tests: [`${file}: ${test}`] };
  });
}

/** One row for each id. @throws Error if a requirement has no text, or two */
export function joined(rows: readonly Row[]): readonly Row[] {
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, same]) => {
    const [says, ...more] = same.map((row) => row.says).filter((text) => text !== '');
    if (says === undefined)
      throw new Error(`The requirement ${id} needs a text: // Requirement ${id}: what is required`);
    if (more.length > 0) throw new Error(`The requirement ${id} has several texts; write the text at one of its tests`);
    return { id, says, tests: same.flatMap(({ tests }) => tests) };
  });
}

/** Adds each requirement to the part with the longest prefix of its id. @throws Error if there is no such part */
export function withRequirements(parts: readonly Part[], requirements: readonly Row[]): readonly Part[] {
  const homes = Map.groupBy(requirements, ({ id }) => {
    const matching = parts.flatMap((part) => (part.prefix === undefined ? [] : [{ part, prefix: part.prefix }]));
    const [home] = matching
      .filter(({ prefix }) => id.startsWith(`${prefix}.`))
      .sort((a, b) => b.prefix.length - a.prefix.length);
    if (home === undefined) throw new Error(`No part of the conformance rows has a prefix of ${id}`);
    return home.part;
  });
  return parts.map((part) => ({ ...part, rows: [...part.rows, ...(homes.get(part) ?? [])] }));
}
