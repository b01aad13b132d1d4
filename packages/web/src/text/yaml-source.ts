import { type Document, isMap, isScalar, isSeq, type ParsedNode, parseDocument, type YAMLMap } from 'yaml';

/** The entries and items of a YAML text, with their positions. */
export class YamlSource {
  readonly text: string;
  readonly document: Document.Parsed;

  /** Null if the text has a syntax error, or is not a map. */
  static of(text: string): MapSource | null {
    const source = new YamlSource(text);
    return source.document.errors.length === 0 && isMap(source.document.contents) ? (source as MapSource) : null;
  }

  private constructor(text: string) {
    this.text = text;
    this.document = parseDocument(text);
  }

  get root(): ParsedNode | null {
    return this.document.contents;
  }

  lineStart(position: number): number {
    return this.text.lastIndexOf('\n', position - 1) + 1;
  }

  /** The position of the line break at or after a position, or the end of the text. */
  lineEnd(position: number): number {
    const end = this.text.indexOf('\n', position);
    return end === -1 ? this.text.length : end;
  }

  /** The column of a position, counted from 0. */
  column(position: number): number {
    return position - this.lineStart(position);
  }

  /** The end of a node without the white space, line breaks and comments after it. */
  contentEnd(node: ParsedNode): number {
    const last = isFlow(node) ? undefined : lastIn(node);
    if (last !== undefined) return this.contentEnd(last);
    return node.range[0] + this.text.slice(node.range[0], node.range[1]).trimEnd().length;
  }

  /** The text of an entry of a map, from its key to the end of its value, indented for another column. */
  entry({ key, value }: Entry, column: number): string {
    return this.#moved(key.range[0], this.contentEnd(value), column);
  }

  /** The text of an item of a list, without its dash, indented for another column. */
  item(node: ParsedNode, column: number): string {
    return this.#moved(node.range[0], this.contentEnd(node), column);
  }

  #moved(from: number, to: number, column: number): string {
    const old = ' '.repeat(this.column(from));
    const [first = '', ...rest] = this.text.slice(from, to).split('\n');
    const moved = rest.map((line) => (line.startsWith(old) ? ' '.repeat(column) + line.slice(old.length) : line));
    return [first, ...moved].join('\n');
  }
}

/** An entry of a map that has a key and a value. */
export interface Entry {
  readonly key: ParsedNode;
  readonly value: ParsedNode;
}

/** A text that is a map. */
export type MapSource = YamlSource & { readonly root: YAMLMap.Parsed };

/** The entries of a map by their keys. Entries without a value are omitted. */
export function entriesOf(map: YAMLMap.Parsed): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const { key, value } of map.items) {
    if (isScalar(key) && value !== null) entries.set(String(key.value), { key, value });
  }
  return entries;
}

/** Whether a collection is written with brackets. */
export function isFlow(node: ParsedNode): boolean {
  return (isMap(node) || isSeq(node)) && node.flow === true;
}

function lastIn(node: ParsedNode): ParsedNode | undefined {
  if (isSeq(node)) return node.items.at(-1);
  const pair = isMap(node) ? node.items.at(-1) : undefined;
  return pair?.value ?? pair?.key;
}
