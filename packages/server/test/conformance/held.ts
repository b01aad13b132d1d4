import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './row.ts';

const root = join(import.meta.dirname, '../../../..');

/** A test that a row names. */
export interface NamedTest {
  /** From the root of the repository. */
  readonly file: string;
  readonly title: string;
}

/**
 * Where a row's `file: title` leads: a test of the API, another of the server, or one beside its source. A sentence of
 * the store's suite is a test of every store that runs it.
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

/** What is wrong with what a row names; empty where its tests are there. */
export function issuesOf({ id, tests }: Row): string[] {
  if (tests.length === 0) return [`${id} names no test`];
  return tests.flatMap((text) => {
    const { file, title } = namedTest(text);
    return isTestOf(readFileSync(join(root, file), 'utf8'), title) ? [] : [`${id}: ${file} has no test '${title}'`];
  });
}

/** Whether a test file has a test of this title that runs: its title is the first argument of a call that is not skipped. */
export function isTestOf(source: string, title: string): boolean {
  const words = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const call = new RegExp(String.raw`(?<before>[\w.]*)(?:\([^\n]*\)|)\s*\(\s*(['"\x60])${words}\2`).exec(source);
  const name = call?.groups?.before ?? '';
  return call !== null && !/\.(skip|todo|only|fails)/.test(name);
}
