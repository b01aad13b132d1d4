import type { z } from 'zod';
import { suggestion } from '../base/nearest.ts';
import { schemaIssues } from '../base/schema-issues.ts';
import type { IssueCode } from '../validation/graph-issue.ts';
import type { DslIssue } from './dsl-issue.ts';
import type { YamlDocument } from './yaml/yaml-parse.ts';
import { keyOffsetOf, nodeAt, offsetOf, toJson, type YamlNode, type YamlPath } from './yaml/yaml-tree.ts';

/** The content of an issue, and the part of the text that it refers to. */
export interface Finding {
  readonly code: IssueCode;
  readonly message: string;
  readonly hint?: string;
  readonly severity?: 'error' | 'warning';
  readonly nodeId?: string;
  readonly field?: string;
  readonly canBeStored?: boolean;
}

/** Reads values from a YAML text by their paths, and collects issues. */
export class Reader {
  readonly issues: DslIssue[];
  readonly #document: YamlDocument;
  readonly #root: YamlNode;

  constructor(document: YamlDocument, root: YamlNode) {
    this.#document = document;
    this.#root = root;
    this.issues = [...document.issues];
  }

  /** The keys of the map at a path; null, with an issue, if there is anything else. */
  keysAt(path: YamlPath, what: string): readonly string[] | null {
    const node = this.nodeAt(path);
    if (node?.kind === 'map') return [...node.entries.keys()];
    // A key without a value is an empty map.
    if (node?.kind === 'scalar' && node.value === null && path.length > 0) return [];
    this.report({ code: 'field', message: `${what} must be a map of keys and values.` }, path);
    return null;
  }

  /** The number of items of the list at a path; 0, with an issue, if there is anything else. */
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

  /** The value at a path as JSON; undefined if there is none. */
  jsonAt(path: YamlPath) {
    const node = this.nodeAt(path);
    return node === undefined ? undefined : toJson(node);
  }

  /** The value at a path if the schema accepts it; else the fallback, with an issue for each violated rule. */
  read<T>(path: YamlPath, schema: z.ZodType<T>, fallback: T): T {
    const node = this.nodeAt(path);
    if (node === undefined) return fallback;
    const parsed = schema.safeParse(toJson(node));
    if (parsed.success) return parsed.data;
    // An index in a list is not a helpful name.
    const name = path.slice(-1).filter((key) => typeof key === 'string');
    for (const { path: inner, message } of schemaIssues(parsed.error)) {
      this.report({ code: 'field', message: `${[...name, ...inner].join('.')}: ${message}` }, [...path, ...inner]);
    }
    return fallback;
  }

  /** Reports an unknown key at a path. */
  reportUnknown(path: YamlPath, candidates: Iterable<string>, hint = ''): void {
    const key = String(path.at(-1));
    // A hostile text has thousands of these: suggestions for the first few are enough.
    const near = this.issues.length < maxSuggestions ? suggestion(key, candidates) : '';
    const message = `Unknown key '${key}'.${hint === '' ? near : ` ${hint}`}`;
    this.#reportAt({ code: 'unknown_key', message }, keyOffsetOf(this.#root, path));
  }

  report(finding: Finding, path: YamlPath): void {
    this.#reportAt(finding, offsetOf(this.#root, path));
  }

  /** Reports an issue at a key rather than at its value. */
  reportKey(finding: Finding, path: YamlPath): void {
    this.#reportAt(finding, keyOffsetOf(this.#root, path));
  }

  #reportAt(finding: Finding, offset: number): void {
    this.issues.push({ severity: 'error', ...finding, ...this.#document.lines.placeOf(offset) });
  }
}

const maxSuggestions = 20;
