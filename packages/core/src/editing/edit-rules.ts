import type { EdgeCheck, EdgeIssue } from '../graph/edge-rules.ts';
import type { Node } from '../graph/graph.ts';
import type { Rename } from '../graph/graph-edit.ts';
import type { JsonObject } from '../json.ts';
import type { GivenConfig } from './graph-operation.ts';

/**
 * What an edit needs to know of the node types. The service knows their schemas. A browser does not: it accepts what
 * only a schema could reject, and the service rejects it later.
 */
export interface EditRules {
  /** The config as it is stored, with all common keys. @throws Problem `invalid` with an issue for each invalid field */
  config(given: GivenConfig, componentType: string): JsonObject;
  /** The first rule that an edge violates. */
  edge(check: Omit<EdgeCheck, 'catalogue'>): EdgeIssue | null;
  /** The config of a node with another node renamed in its expressions; the same object if none names it. */
  renamed(node: Node, rename: Rename): JsonObject;
  /** The end of a generated name of a node. */
  nameSuffix(): string;
}
