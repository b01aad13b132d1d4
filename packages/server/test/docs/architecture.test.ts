import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';

interface Rule {
  readonly name: string;
  readonly to: { readonly pathNot?: string };
}

const root = new URL('../../../../', import.meta.url);
const page = readFileSync(new URL('docs/architecture.md', root), 'utf8');
const { forbidden } = createRequire(import.meta.url)('../../../../.dependency-cruiser.cjs') as {
  readonly forbidden: readonly Rule[];
};

/** By room what the page says that it may know. */
const told = new Map(
  page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, names = '', , known = ''] = line.split('|').map((cell) => cell.trim());
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, known] as const);
    }),
);

/** What a wall lets through, and the page's words for it. */
const words = new Map([
  ['store/[a-z-]+\\.ts$', "the store's interface"],
  ['secrets/llm-endpoint\\.ts$', '`secrets/llm-endpoint.ts`'],
  ['secrets/', '`secrets/`'],
  ['services/', '`services/`'],
  ['workflow-tests/', '`workflow-tests/`'],
]);

/** What the rules let a room of the server know: its packages, and what is let through its walls. */
function allowed(room: string): readonly string[] {
  const packages = forbidden.find(({ name }) => name.startsWith(`server-${room}-sees-only-`))?.name ?? '';
  const walls = forbidden.find(({ name }) => name === `server-${room}-keeps-its-walls`)?.to.pathNot ?? '';
  const [, inside = ''] = walls.split('ground/');
  const rooms = inside.split('|').map((pattern) => pattern.replace(/\)$/, ''));
  return [
    ...packages.slice(`server-${room}-sees-only-`.length).split('-and-'),
    ...rooms.filter((pattern) => pattern !== '').map((pattern) => words.get(pattern) ?? pattern),
  ];
}

const walled = forbidden.flatMap(({ name }) => /^server-(.+)-keeps-its-walls$/.exec(name)?.[1] ?? []);

describe('the table of rooms', () => {
  test.each(walled)('says of %s/ what the import rules say', (room) => {
    expect((told.get(`${room}/`) ?? '').split(', ').sort()).toEqual([...allowed(room)].sort());
  });

  test('has a row for every room and every file of the server', () => {
    const entries = readdirSync(new URL('packages/server/src/', root), { withFileTypes: true });
    const names = entries
      .filter(({ name }) => !name.endsWith('.test.ts'))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    expect(names.filter((name) => !told.has(name))).toEqual([]);
    expect(walled.length).toBeGreaterThan(9);
  });
});
