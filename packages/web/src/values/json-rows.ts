import { exactJsonText } from '@millrace/core/exact-json';

/** A position in a value: the keys and the indexes that lead to it. */
export type JsonPath = readonly (string | number)[];

/** A line of the tree. */
export interface JsonRow {
  /** Names the row in the set of rows that a person opened or closed. */
  readonly id: string;
  readonly depth: number;
  /** Null for the whole value. */
  readonly name: string | number | null;
  readonly path: JsonPath;
  readonly value: unknown;
  /** `range` is a part of a long list or object. */
  readonly kind: 'scalar' | 'object' | 'array' | 'range';
  /** The number of children; 0 for a scalar. */
  readonly size: number;
  readonly isOpen: boolean;
  /** Of a range: its first and its last index. */
  readonly range?: readonly [number, number];
}

/** Longer lists and objects are shown in ranges of this size, so that a list of a million rows opens at once. */
const rangeSize = 100;

/** What a person changed: rows that are open although they start closed, and the reverse. */
export type Toggled = ReadonlySet<string>;

/** The lines of the open parts of a value. Parts above `openDepth` start open. */
export function rowsOf(value: unknown, toggled: Toggled, openDepth: number): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  add({ rows, toggled, openDepth }, { id: '$', depth: 0, name: null, path: [], value });
  return rows;
}

interface Target {
  readonly rows: JsonRow[];
  readonly toggled: Toggled;
  readonly openDepth: number;
}

type Place = Pick<JsonRow, 'id' | 'depth' | 'name' | 'path' | 'value'>;

function add(target: Target, place: Place): void {
  const { value, id, depth } = place;
  if (typeof value !== 'object' || value === null) {
    target.rows.push({ ...place, kind: 'scalar', size: 0, isOpen: false });
    return;
  }
  const names = namesOf(value);
  const startsOpen = depth < target.openDepth && (depth === 0 || names.length <= rangeSize);
  const isOpen = names.length > 0 && startsOpen !== target.toggled.has(id);
  target.rows.push({ ...place, kind: Array.isArray(value) ? 'array' : 'object', size: names.length, isOpen });
  if (!isOpen) return;
  if (names.length <= rangeSize) addChildren(target, place, names);
  else addRanges(target, place, { id, names, first: 0 });
}

function addChildren(target: Target, { id, depth, path, value }: Place, names: readonly (string | number)[]): void {
  for (const name of names) {
    const child = (value as Readonly<Record<string | number, unknown>>)[name];
    add(target, { id: `${id}/${escaped(name)}`, depth: depth + 1, name, path: [...path, name], value: child });
  }
}

/** A part of the children of a value. */
interface Part {
  readonly id: string;
  readonly names: readonly (string | number)[];
  /** The index of its first child. */
  readonly first: number;
}

function addRanges(target: Target, place: Place, { id, names, first }: Part): void {
  for (const part of partsOf(id, names, first)) {
    const last = part.first + part.names.length - 1;
    const isOpen = target.toggled.has(part.id);
    target.rows.push({
      id: part.id,
      depth: place.depth + 1,
      name: `${part.first} … ${last}`,
      path: place.path,
      value: place.value,
      kind: 'range',
      size: part.names.length,
      isOpen,
      range: [part.first, last],
    });
    if (!isOpen) continue;
    // The ranges are no level of their own for the children, whose ids do not depend on them.
    const inside = { ...place, depth: place.depth + 1 };
    if (part.names.length <= rangeSize) addChildren(target, inside, part.names);
    else addRanges(target, inside, part);
  }
}

/** At most `rangeSize` parts: those of a list of a million rows have parts again. */
function partsOf(id: string, names: readonly (string | number)[], first: number): readonly Part[] {
  let step = rangeSize;
  while (step * rangeSize < names.length) step *= rangeSize;
  return Array.from({ length: Math.ceil(names.length / step) }, (_, index) => {
    const part = names.slice(index * step, (index + 1) * step);
    const from = first + index * step;
    return { id: `${id}/${from}-${from + part.length - 1}`, names: part, first: from };
  });
}

function namesOf(value: object): readonly (string | number)[] {
  return Array.isArray(value) ? Array.from(value, (_, index) => index) : Object.keys(value);
}

function escaped(name: string | number): string {
  return typeof name === 'number' ? String(name) : JSON.stringify(name);
}

/** The ids of the rows that must be open to show a position. */
function rowsAbove(value: unknown, path: JsonPath): readonly string[] {
  const ids: string[] = [];
  let id = '$';
  let current = value;
  for (const name of path) {
    ids.push(id);
    if (typeof current !== 'object' || current === null) break;
    ids.push(...rangesAround(id, namesOf(current), name));
    id = `${id}/${escaped(name)}`;
    current = (current as Readonly<Record<string | number, unknown>>)[name];
  }
  return ids;
}

function rangesAround(
  id: string,
  names: readonly (string | number)[],
  name: string | number,
  first = 0,
): readonly string[] {
  if (names.length <= rangeSize) return [];
  const part = partsOf(id, names, first).find((candidate) => candidate.names.includes(name));
  return part === undefined ? [] : [part.id, ...rangesAround(part.id, part.names, name, part.first)];
}

/** The set of toggled rows with which all these rows are open. */
export function opened(
  value: unknown,
  { toggled, openDepth }: { readonly toggled: Toggled; readonly openDepth: number },
  path: JsonPath,
): Toggled {
  let result = toggled;
  for (const id of rowsAbove(value, path)) {
    const row = rowsOf(value, result, openDepth).find((shown) => shown.id === id);
    if (row === undefined || row.isOpen) continue;
    const changed = new Set(result);
    if (!changed.delete(id)) changed.add(id);
    result = changed;
  }
  return result;
}

/** The positions whose name or scalar contains a text, ignoring case, in their order: at most `limit`. */
export function matchesIn(value: unknown, text: string, limit: number): readonly JsonPath[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const found: JsonPath[] = [];
  const path: (string | number)[] = [];
  const visit = (current: unknown): void => {
    if (found.length >= limit) return;
    if (typeof current !== 'object' || current === null) {
      if (String(current).toLowerCase().includes(wanted) || isNamed(path, wanted)) found.push([...path]);
      return;
    }
    if (isNamed(path, wanted)) found.push([...path]);
    for (const name of namesOf(current)) {
      path.push(name);
      visit((current as Readonly<Record<string | number, unknown>>)[name]);
      path.pop();
    }
  };
  visit(value);
  return found;
}

function isNamed(path: JsonPath, wanted: string): boolean {
  const name = path.at(-1);
  return typeof name === 'string' && name.toLowerCase().includes(wanted);
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `.items[3]["first name"]`: the position as expressions write it after the name of a node. */
export function pathText(path: JsonPath): string {
  return path
    .map((name) => {
      if (typeof name === 'number') return `[${name}]`;
      return identifier.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    })
    .join('');
}

/** A value as it is copied: a text without quotes, anything else as JSON from which the same value is read. */
export function copiedText(value: unknown): string {
  return typeof value === 'string' ? value : exactJsonText(value, 2);
}

/** A scalar on one line. */
export function scalarText(value: unknown, maxLength: number): string {
  // Only the visible part is escaped: a text may have megabytes.
  if (typeof value !== 'string') return String(value);
  const isCut = value.length > maxLength;
  return isCut ? `${JSON.stringify(value.slice(0, maxLength)).slice(0, -1)}…` : JSON.stringify(value);
}

/** The text that is searched for in a value, and where it was found. */
export interface ValueSearch {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly found: readonly JsonPath[];
  /** Whether the search has stopped early. */
  readonly isFull: boolean;
  /** The rows of what was found. */
  readonly ids: ReadonlySet<string>;
}
