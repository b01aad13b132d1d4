import type { z } from 'zod';
import { suggestion } from '../base/nearest.ts';
import { schemaIssues } from '../base/schema-issues.ts';
import type { IssueCode } from '../validation/graph-issue.ts';
import type { DslIssue } from './dsl-issue.ts';
import type { YamlDocument } from './yaml/yaml-parse.ts';
import { keyOffsetOf, nodeAt, offsetOf, toJson, type YamlNode, type YamlPath } from './yaml/yaml-tree.ts';

/** What an issue says, and which part of the text it is about. */
export interface Finding {
  readonly code: IssueCode;
  readonly message: string;
  readonly severity?: 'error' | 'warning';
  readonly nodeId?: string;
  readonly field?: string;
  readonly canBeStored?: boolean;
}

/** Reads values from a YAML text by their paths, and keeps what is wrong with them. */
export class Reader {
  readonly issues: DslIssue[];
  readonly #document: YamlDocument;
  readonly #root: YamlNode;

  constructor(document: YamlDocument, root: YamlNode) {
    this.#document = document;
    this.#root = root;
    this.issues = [...document.issues];
  }

  /** The keys of the map at a path; null, and an issue, when something else is there. */
  keysAt(path: YamlPath, what: string): readonly string[] | null {
    const node = this.nodeAt(path);
    if (node?.kind === 'map') return [...node.entries.keys()];
    // A key with nothing after it is an empty map.
    if (node?.kind === 'scalar' && node.value === null && path.length > 0) return [];
    this.report({ code: 'field', message: `${what} must be a map of keys and values.` }, path);
    return null;
  }

  /** How many items the list at a path has; none, and an issue, when something else is there. */
  countAt(path: YamlPath, what: string): number {
    const node = this.nodeAt(path);
    if (node?.kind === 'list') return node.items.length;
    if (node !== undefined && !(node.kind === 'scalar' && node.value === null))
      this.report({ code: 'field', message: `${what} must be a list.` }, path);
    return 0;
  }

  nodeAt(path: YamlPath): YamlNode | undefined {
    return nodeAt(this.#root, path);
  }

  /** The value at a path as JSON; undefined when there is none. */
  jsonAt(path: YamlPath) {
    const node = this.nodeAt(path);
    return node === undefined ? undefined : toJson(node);
  }

  /** The value at a path if the schema takes it; else the fallback, and an issue for each rule that it breaks. */
  read<T>(path: YamlPath, schema: z.ZodType<T>, fallback: T): T {
    const node = this.nodeAt(path);
    if (node === undefined) return fallback;
    const parsed = schema.safeParse(toJson(node));
    if (parsed.success) return parsed.data;
    // A place in a list has no name that helps.
    const name = path.slice(-1).filter((key) => typeof key === 'string');
    for (const { path: inner, message } of schemaIssues(parsed.error)) {
      this.report({ code: 'field', message: `${[...name, ...inner].join('.')}: ${message}` }, [...path, ...inner]);
    }
    return fallback;
  }

  /** An issue about the key at a path that nobody knows. */
  reportUnknown(path: YamlPath, candidates: Iterable<string>, hint = ''): void {
    const key = String(path.at(-1));
    // A hostile text has thousands of these: comparing words for the first few is help enough.
    const near = this.issues.length < maxSuggestions ? suggestion(key, candidates) : '';
    const message = `Unknown key '${key}'.${hint === '' ? near : ` ${hint}`}`;
    this.#reportAt({ code: 'unknown_key', message }, keyOffsetOf(this.#root, path));
  }

  report(finding: Finding, path: YamlPath): void {
    this.#reportAt(finding, offsetOf(this.#root, path));
  }

  /** An issue about a key rather than its value. */
  reportKey(finding: Finding, path: YamlPath): void {
    this.#reportAt(finding, keyOffsetOf(this.#root, path));
  }

  #reportAt(finding: Finding, offset: number): void {
    this.issues.push({ severity: 'error', ...finding, ...this.#document.lines.placeOf(offset) });
  }
}

const maxSuggestions = 20;
