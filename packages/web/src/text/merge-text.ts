import { isObject, isSameJson, type Json, type JsonObject } from '@millrace/core/editing';
import { isMap, isScalar, isSeq, type ParsedNode, parse, type YAMLMap, type YAMLSeq } from 'yaml';
import { type Splice, spliced } from './splice.ts';
import { type Entry, entriesOf, isFlow, type MapSource, YamlSource } from './yaml-source.ts';

/** The canonical texts of a workflow before and after a change. */
export interface CanonicalTexts {
  readonly before: string;
  readonly after: string;
}

/**
 * A text with comments after a change of its workflow. Only what the change concerns is replaced; comments, order and
 * formatting of the rest stay. Null if the text has a syntax error, or is written in a way that cannot be changed.
 */
export function mergedText(text: string, { before, after }: CanonicalTexts): string | null {
  const target = YamlSource.of(text);
  const canonical = YamlSource.of(after);
  const old = parse(before) as Json;
  if (target === null || canonical === null || !isObject(old)) return null;
  const merge = new Merge(target, canonical);
  try {
    merge.root(old);
  } catch (error) {
    if (error instanceof NotInPlace) return null;
    throw error;
  }
  return spliced(text, merge.splices);
}

/** Thrown if an element cannot be changed in place, so that the element around it is replaced. */
class NotInPlace extends Error {}

class Merge {
  readonly #target: MapSource;
  readonly #canonical: MapSource;
  splices: Splice[] = [];

  constructor(target: MapSource, canonical: MapSource) {
    this.#target = target;
    this.#canonical = canonical;
  }

  root(before: JsonObject): void {
    this.#map(this.#target.root, this.#canonical.root, before);
  }

  /** Applies the changes of a map to the same map in the text. */
  #map(map: YAMLMap.Parsed, wanted: YAMLMap.Parsed, before: JsonObject): void {
    const after = wanted.toJSON() as JsonObject;
    const isSame = (key: string) => Object.hasOwn(before, key) && isSameJson(before[key] ?? null, after[key] ?? null);
    const changed = Object.keys(after).filter((key) => !isSame(key));
    const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
    if (changed.length === 0 && removed.length === 0) return;
    if (isFlow(map)) {
      const others = Object.entries(map.toJSON() as JsonObject).filter(([key]) => !removed.includes(key));
      const news = changed.map((key) => [key, after[key]]);
      this.#replace(map, flowText({ ...Object.fromEntries(others), ...Object.fromEntries(news) }));
      return;
    }
    const gone = new Set(removed);
    const all = entriesOf(map);
    for (const [key, pair] of all) if (gone.has(key)) this.#removeEntry(pair);
    const mine = new Map([...all].filter(([key]) => !gone.has(key)));
    // A block without entries would be null.
    if (mine.size === 0) throw new NotInPlace();
    const given = entriesOf(wanted);
    for (const key of changed) this.#entry({ key, mine, given, before: before[key] ?? null });
  }

  #entry(params: {
    readonly key: string;
    readonly mine: ReadonlyMap<string, Entry>;
    readonly given: ReadonlyMap<string, Entry>;
    readonly before: Json;
  }): void {
    const { key, mine, given, before } = params;
    const wanted = given.get(key);
    if (wanted === undefined) return;
    const pair = mine.get(key);
    if (pair === undefined) {
      this.#insertEntry(wanted, mine, given);
      return;
    }
    const start = this.splices.length;
    try {
      if (this.#inPlace(pair.value, wanted.value, { key, before })) return;
    } catch (error) {
      if (!(error instanceof NotInPlace)) throw error;
      this.splices = this.splices.slice(0, start);
    }
    this.#replaceEntry(pair, wanted);
  }

  /** Changes parts of a value, if it consists of parts in the text and in the canonical text. */
  #inPlace(
    value: ParsedNode,
    wanted: ParsedNode,
    { key, before }: { readonly key: string; readonly before: Json },
  ): boolean {
    if (isMap(value) && isMap(wanted) && isObject(before)) {
      this.#map(value, wanted, before);
      return true;
    }
    const isList = isSeq(value) && isSeq(wanted) && Array.isArray(before) && !isFlow(value);
    if (isList && key === 'nodes') this.#nodes(value, wanted, before as readonly Json[]);
    else if (isList && key === 'edges') this.#edges(value, wanted, before as readonly Json[]);
    else return false;
    return true;
  }

  #nodes(list: YAMLSeq.Parsed, wanted: YAMLSeq.Parsed, before: readonly Json[]): void {
    const old = new Map(before.filter(isObject).map((node) => [String(node.id), node]));
    const mine = new Map(list.items.map((item) => [idOf(item), item]));
    const names = renamed(old, new Map(wanted.items.map((item) => [idOf(item), item.toJSON() as JsonObject])));
    this.#list(list, wanted, {
      nameOf: (item) => names.get(idOf(item)) ?? idOf(item),
      mine,
      change: (item, node) => {
        const previous = old.get(names.get(idOf(node)) ?? idOf(node));
        if (isMap(item) && isMap(node) && previous !== undefined) this.#map(item, node, previous);
        else throw new NotInPlace();
      },
    });
  }

  #edges(list: YAMLSeq.Parsed, wanted: YAMLSeq.Parsed, before: readonly Json[]): void {
    const mine = new Map(list.items.map((item) => [edgeName(item.toJSON() as Json), item]));
    // An edge that is written in another form is not found, and then the whole list is replaced.
    if (before.some((edge) => !mine.has(edgeName(edge)))) throw new NotInPlace();
    this.#list(list, wanted, { nameOf: (item) => edgeName(item.toJSON() as Json), mine, change: () => undefined });
  }

  #list(
    list: YAMLSeq.Parsed,
    wanted: YAMLSeq.Parsed,
    params: {
      /** The name under which the list has an item of the canonical text. */
      readonly nameOf: (item: ParsedNode) => string;
      readonly mine: ReadonlyMap<string, ParsedNode>;
      readonly change: (item: ParsedNode, wanted: ParsedNode) => void;
    },
  ): void {
    const { nameOf, mine, change } = params;
    if (mine.size !== list.items.length || list.items.length === 0) throw new NotInPlace();
    const kept = new Set(wanted.items.map(nameOf));
    const order = [...mine.keys()].filter((name) => kept.has(name));
    const orderAfter = wanted.items.map(nameOf).filter((name) => mine.has(name));
    if (order.some((name, index) => name !== orderAfter[index])) throw new NotInPlace();
    for (const [name, item] of mine) if (!kept.has(name)) this.#removeItem(item);
    const first = [...mine].find(([name]) => kept.has(name))?.[1];
    if (first === undefined) throw new NotInPlace();
    let previous: ParsedNode | undefined;
    for (const item of wanted.items) {
      const own = mine.get(nameOf(item));
      if (own === undefined) this.#insertItem(item, previous, first);
      else this.#changeItem(own, item, change);
      previous = own ?? previous;
    }
  }

  #changeItem(item: ParsedNode, wanted: ParsedNode, change: (item: ParsedNode, wanted: ParsedNode) => void): void {
    const start = this.splices.length;
    try {
      change(item, wanted);
    } catch (error) {
      if (!(error instanceof NotInPlace)) throw error;
      this.splices = this.splices.slice(0, start);
      this.#replace(item, this.#canonical.item(wanted, this.#target.column(item.range[0])));
    }
  }

  #replace(node: ParsedNode, insert: string): void {
    this.splices.push({ from: node.range[0], to: this.#target.contentEnd(node), insert });
  }

  /** A comment behind the old value stays; above a value of several lines it gets a line of its own. */
  #replaceEntry(pair: Entry, wanted: Entry): void {
    const { text } = this.#target;
    const from = pair.key.range[0];
    const column = this.#target.column(from);
    const end = this.#target.contentEnd(pair.value);
    const insert = this.#canonical.entry(wanted, column);
    const behind = text.slice(end, this.#target.lineEnd(end));
    const isMoved = insert.includes('\n') && behind.trim() !== '';
    if (!isMoved) this.splices.push({ from, to: end, insert });
    else {
      const moved = `${behind.trim()}\n${' '.repeat(column)}${insert}`;
      this.splices.push({ from, to: end + behind.length, insert: moved });
    }
  }

  #removeEntry(pair: Entry): void {
    this.#removeLines(pair.key.range[0], this.#target.contentEnd(pair.value), /^\s*$/);
  }

  #removeItem(item: ParsedNode): void {
    this.#removeLines(item.range[0], this.#target.contentEnd(item), /^\s*-\s+$/);
  }

  /** Removes the lines from one position to another, if the first one starts with nothing but `lead`. */
  #removeLines(from: number, end: number, lead: RegExp): void {
    const start = this.#target.lineStart(from);
    if (!lead.test(this.#target.text.slice(start, from))) throw new NotInPlace();
    const to = Math.min(this.#target.lineEnd(end) + 1, this.#target.text.length);
    this.splices.push({ from: start, to, insert: '' });
  }

  /** A new entry follows the one that it follows in the canonical text. */
  #insertEntry(wanted: Entry, mine: ReadonlyMap<string, Entry>, given: ReadonlyMap<string, Entry>): void {
    let previous: Entry | undefined;
    for (const [key, pair] of given) {
      if (pair === wanted) break;
      previous = mine.get(key) ?? previous;
    }
    const first = mine.values().next().value;
    const anchor = previous ?? first;
    if (anchor === undefined) throw new NotInPlace();
    const column = this.#target.column(anchor.key.range[0]);
    const insert = this.#canonical.entry(wanted, column);
    const indent = ' '.repeat(column);
    if (previous === undefined) this.#insert(anchor.key.range[0], `${insert}\n${indent}`);
    else this.#insert(this.#target.lineEnd(this.#target.contentEnd(previous.value)), `\n${indent}${insert}`);
  }

  #insertItem(wanted: ParsedNode, previous: ParsedNode | undefined, first: ParsedNode): void {
    const { range } = previous ?? first;
    const start = this.#target.lineStart(range[0]);
    const lead = /^(\s*)-\s+$/.exec(this.#target.text.slice(start, range[0]));
    if (lead === null) throw new NotInPlace();
    const indent = lead[1] ?? '';
    const insert = `${indent}- ${this.#canonical.item(wanted, indent.length + 2)}`;
    if (previous === undefined) this.#insert(start, `${insert}\n`);
    else this.#insert(this.#target.lineEnd(this.#target.contentEnd(previous)), `\n${insert}`);
  }

  #insert(at: number, insert: string): void {
    this.splices.push({ from: at, to: at, insert });
  }
}

function idOf(item: ParsedNode): string {
  const id: unknown = isMap(item) ? item.get('id', true) : undefined;
  return isScalar(id) ? String(id.value) : '';
}

/** Two spaces in an edge mean the same as one. */
function edgeName(edge: Json): string {
  return typeof edge === 'string' ? edge.trim().replace(/\s+/g, ' ') : JSON.stringify(edge);
}

/** The old names of renamed nodes by their new ones: a node that is gone, and a new one of its type at its place. */
function renamed(
  before: ReadonlyMap<string, JsonObject>,
  after: ReadonlyMap<string, JsonObject>,
): ReadonlyMap<string, string> {
  const gone = [...before].filter(([id]) => !after.has(id));
  const added = [...after].filter(([id]) => !before.has(id));
  if (gone.length !== added.length) return new Map();
  const pairs = added.map(([id, node], index) => [id, node, gone[index]] as const);
  const same = pairs.filter(([, node, old]) => old?.[1].type === node.type);
  return new Map(same.map(([id, , old]) => [id, old?.[0] ?? id]));
}

/** A value on one line. JSON is also YAML; words need no quotes. */
function flowText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (!isObject(value)) return typeof value === 'string' ? flowWord(value) : JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${flowWord(key)}: ${flowText(item)}`);
  return `{${entries.join(', ')}}`;
}

function flowWord(text: string): string {
  return /^[A-Za-z_][\w-]*$/.test(text) && parse(text) === text ? text : JSON.stringify(text);
}
