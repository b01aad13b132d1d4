import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './row.ts';

const root = join(import.meta.dirname, '../../../..');

/** A test named by a row. */
export interface NamedTest {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly title: string;
}

/**
 * The test of a row's `file: title`: a test of the API, another test of the server, or one next to its source. A title
 * in the store's suite is a test of every store that runs the suite.
 */
export function namedTest(text: string): NamedTest {
  const cut = text.indexOf(': ');
  const name = text.slice(0, cut);
  const places = [`packages/server/test/api/${name}`, `packages/server/test/${name}`, `packages/${name}`];
  const files = places.flatMap((place) => [`${place}.test.ts`, `${place}.testsuite.ts`]);
  const file = files.find((each) => existsSync(join(root, each)));
  if (file === undefined) throw new Error(`no test file is called '${name}' (${text})`);
  return { file, title: text.slice(cut + 2) };
}

/** The errors in a row's tests; empty if all exist. */
export function issuesOf({ id, tests }: Row): string[] {
  if (tests.length === 0) return [`${id} names no test`];
  return tests.flatMap((text) => {
    const { file, title } = namedTest(text);
    return isTestOf(readFileSync(join(root, file), 'utf8'), title) ? [] : [`${id}: ${file} has no test '${title}'`];
  });
}

/**
 * Whether a test file contains a test with this title that is not skipped: the title is the first argument of a call.
 */
export function isTestOf(source: string, title: string): boolean {
  const words = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const call = new RegExp(String.raw`(?<before>[\w.]*)(?:\([^\n]*\)|)\s*\(\s*(['"\x60])${words}\2`).exec(source);
  const name = call?.groups?.before ?? '';
  return call !== null && !/\.(skip|todo|only|fails)/.test(name);
}
