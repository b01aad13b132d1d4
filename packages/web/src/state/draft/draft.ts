import type { Graph, GraphOperation, VersionedGraph } from '@millrace/core/editing';
import type { ContestedValue } from './contested.ts';
import type { DraftOperation, Gesture } from './operation.ts';
import { type View, viewOf } from './view.ts';

/** A gesture that can be undone, or done again. */
export interface Entry {
  /** The gestures that it covers: several for text that was typed without a pause. */
  readonly gestures: readonly string[];
  readonly label: string;
  /** What undoes it, or does it again. */
  readonly operations: readonly DraftOperation[];
  /** The field whose changes are one entry. */
  readonly field: string | null;
  /** When the last of its gestures was performed, in milliseconds. */
  readonly at: number;
}

/** A request to the service. It is sent again in the same form until it is answered. */
export interface SaveRequest {
  readonly requestId: string;
  readonly version: number;
  readonly operations: readonly GraphOperation[];
}

/** A request without an answer. */
export interface Sending {
  readonly request: SaveRequest;
  /** How many of the pending gestures it contains. */
  readonly count: number;
}

/** An edit that could not be saved as it was made. */
export interface Conflict {
  readonly id: string;
  /** The label of the gesture. */
  readonly label: string;
  /** One sentence for each thing that was lost. */
  readonly reasons: readonly string[];
  /** Whether the service rejected it for itself, whatever others changed. */
  readonly isRejected?: boolean;
  /** The values that somebody else changed as well: a person chooses between both. */
  readonly values?: readonly ContestedValue[];
  /** What was lost, to try again. */
  readonly operations: readonly DraftOperation[];
}

/** A change of the graph that the service announced, with the version that it created. */
export type RemoteChange = { readonly version: number } & (
  | { readonly kind: 'node'; readonly node: Graph['nodes'][number] }
  | { readonly kind: 'node_deleted'; readonly nodeId: string }
  | { readonly kind: 'edge'; readonly edge: Graph['edges'][number] }
  | { readonly kind: 'edge_deleted'; readonly id: number }
  /** All of the graph, read again. */
  | { readonly kind: 'graph'; readonly graph: VersionedGraph }
);

/** The state of an edited workflow. Transitions are functions that return the next state. */
export interface Draft {
  /** The graph of the service, as far as it is known. */
  readonly base: VersionedGraph;
  /** The ids that the service gave to edges with keys. */
  readonly edgeIds: ReadonlyMap<string, number>;
  /** Gestures that are not saved, in order. */
  readonly pending: readonly Gesture[];
  readonly sending: Sending | null;
  readonly undo: readonly Entry[];
  readonly redo: readonly Entry[];
  /** The graph of the service with the pending gestures. */
  readonly view: View;
  /** Announced while a request has no answer. */
  readonly held: readonly RemoteChange[];
  /** The newest version that this draft has made itself. Changes up to it are not those of others. */
  readonly ownVersion: number;
  /** Changes up to this version are contained in the base. */
  readonly readVersion: number;
  /** By object: changes before this version are contained in the base. */
  readonly knownFrom: ReadonlyMap<string, number>;
  /** The names of nodes that others deleted. */
  readonly gone: ReadonlySet<string>;
  readonly conflicts: readonly Conflict[];
  /** Whether the base may differ from the graph of the service, which must be read again. */
  readonly isUncertain: boolean;
}

/** Older gestures cannot be undone: nobody undoes more, and the list is stored with each edit. */
export const maxEntries = 200;

/** A draft without edits. */
export function newDraft(base: VersionedGraph): Draft {
  return {
    base,
    edgeIds: new Map(),
    pending: [],
    sending: null,
    undo: [],
    redo: [],
    view: viewOf(base, new Map()),
    held: [],
    ownVersion: 0,
    readVersion: base.version,
    knownFrom: new Map(),
    gone: new Set(),
    conflicts: [],
    isUncertain: false,
  };
}

/** The key of a node or edge in `knownFrom`. */
export function objectKey(kind: 'node' | 'edge', id: number): string {
  return `${kind} ${id}`;
}
