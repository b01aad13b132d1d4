import { createRequire } from 'node:module';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';

interface Folder {
  readonly does: string;
  readonly imports: readonly string[];
}
interface ImportMap {
  readonly packages: Record<string, { does: string; mayImport: readonly string[]; npm: readonly string[] | null }>;
  readonly serverFolders: Record<string, { does: string; files: Record<string, string>; packages: readonly string[] }>;
  readonly serverWiring: Record<string, string>;
  readonly innerFolders: Record<string, Record<string, Folder>>;
}

const map: ImportMap = createRequire(import.meta.url)('./import-map.cjs');

const start = '<!-- map -->';
const end = '<!-- end of map -->';

/** `docs/architecture.md` with its map regenerated from `scripts/import-map.cjs`. */
export function withArchitectureMap(page: string): string {
  const [before = '', rest = ''] = page.split(start);
  const [, after = ''] = rest.split(end);
  const parts = [packagesTable(), serverTable(), ...Object.entries(map.innerFolders).map(foldersTable)];
  return `${before}${start}\n\n${parts.join('\n\n')}\n\n${end}${after}`;
}

function packagesTable(): string {
  const rows = Object.entries(map.packages).map(([name, { does, mayImport, npm }]) => [
    `\`${name}\``,
    does,
    listed(mayImport),
    npm === null ? 'any that `docs/dependencies.md` lists' : listed(npm),
  ]);
  return `**Packages**\n\n${table(['package', 'what it does', 'imports', 'libraries'], rows)}`;
}

function serverTable(): string {
  const folders = Object.entries(map.serverFolders).map(([name, { does, files, packages }]) => [
    `\`${name}/\``,
    does,
    [...packages, ...Object.keys(files), ...(name === 'ground' ? [] : ['ground/'])].join(', '),
  ]);
  const wiring = Object.entries(map.serverWiring).map(([name, does]) => [
    `\`${name.includes('.') ? name : `${name}/`}\``,
    does,
    'all',
  ]);
  return `**\`packages/server/src\`**\n\n${table(['folder', 'what it does', 'imports'], [...folders, ...wiring])}`;
}

function foldersTable([base, folders]: [string, Record<string, Folder>]): string {
  const rows = Object.entries(folders).map(([name, { does, imports }]) => [`\`${name}/\``, does, listed(imports)]);
  return `**\`${base}\`**\n\n${table(['folder', 'what it does', 'imports'], rows)}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.join(', ');
}
