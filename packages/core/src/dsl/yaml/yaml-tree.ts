import { setOwn } from '../../expression/set-own.ts';
import type { Json } from '../../json.ts';

/** A value of a YAML text with the offset at which it begins. */
export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly offset: number;
  readonly value: string | number | boolean | null;
}

export interface YamlList {
  readonly kind: 'list';
  readonly offset: number;
  readonly items: YamlNode[];
}

export interface YamlMap {
  readonly kind: 'map';
  readonly offset: number;
  /** By key, in the order of the text. */
  readonly entries: Map<string, YamlEntry>;
}

/** A value with the offset of its key. */
export interface YamlEntry {
  readonly keyOffset: number;
  readonly value: YamlNode;
}

/** A path from a value to one inside it. */
export type YamlPath = readonly (string | number)[];

/** The value as JSON. Recurses as deep as the text is nested, which the parser limits. */
export function toJson(node: YamlNode): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toJson);
  const object: Record<string, Json> = {};
  for (const [key, { value }] of node.entries) setOwn(object, key, toJson(value));
  return object;
}

/** The offset of the value at a path; if there is none, of the nearest value around it. */
export function offsetOf(root: YamlNode, path: YamlPath): number {
  let node = root;
  for (const key of path) {
    const next = childOf(node, key);
    if (next === undefined) return node.offset;
    node = next;
  }
  return node.offset;
}

/** The offset of the key at the end of a path; if there is none, of the nearest value around it. */
export function keyOffsetOf(root: YamlNode, path: YamlPath): number {
  const parent = nodeAt(root, path.slice(0, -1));
  const entry = parent?.kind === 'map' ? parent.entries.get(String(path.at(-1))) : undefined;
  return entry?.keyOffset ?? offsetOf(root, path);
}

/** The value at a path, if there is one. */
export function nodeAt(root: YamlNode, path: YamlPath): YamlNode | undefined {
  let node: YamlNode | undefined = root;
  for (const key of path) node = node && childOf(node, key);
  return node;
}

function childOf(node: YamlNode, key: string | number): YamlNode | undefined {
  if (node.kind === 'list') return node.items[Number(key)];
  return node.kind === 'map' ? node.entries.get(String(key))?.value : undefined;
}
