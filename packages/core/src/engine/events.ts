import type { HttpAnswer } from '../component/component.ts';
import type { Edge, Node, Workflow } from '../graph/graph.ts';
import type { Schedule } from '../graph/schedule.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Failure } from './journal/history.ts';

/** A change of a node or an edge. */
type GraphEvent =
  | {
      readonly type: 'node_created' | 'node_updated';
      readonly node: Node;
      /** For a node that has one. */
      readonly schedule?: Schedule;
    }
  | { readonly type: 'node_deleted'; readonly nodeId: string }
  | { readonly type: 'edge_created' | 'edge_updated'; readonly edge: Edge }
  | { readonly type: 'edge_deleted'; readonly id: number };

/** The call of an agent, or of another node with tools, to which an event belongs. */
export interface EventCall {
  /** The node that makes the call. */
  readonly of: string;
  readonly index: number;
  /** The name under which the model called the tool. Absent for a call of the model itself. */
  readonly tool?: string;
}

/** An event, published after its commit. `contract` defines its wire format. */
export type LiveEvent =
  | { readonly type: 'workflow_updated'; readonly workflow: Workflow }
  | (GraphEvent & {
      /** The version of the workflow that the change created. Absent if the graph is the same as before. */
      readonly version?: number;
    })
  | { readonly type: 'execution_started'; readonly executionId: string; readonly triggerNodeId: string }
  | {
      readonly type: 'node_status';
      readonly executionId: string;
      readonly nodeId: string;
      readonly frame: string;
      /** As in the log. */
      readonly attempt: number;
      /** For a step that is a call. */
      readonly call?: EventCall;
      readonly status: 'running' | 'success' | 'failed' | 'skipped' | 'retrying' | 'waiting';
      readonly output?: JsonObject;
      readonly failure?: Failure;
      readonly durationMs?: number;
      /** The number of iterations of a loop that begins. */
      readonly total?: number;
      /** The output is the pinned output of the node, which was not performed. */
      readonly isPinned?: true;
      /** The answer of a respond node, for the waiting request; not part of the wire event. */
      readonly respond?: HttpAnswer;
    }
  | {
      /** A step waits for a person. */
      readonly type: 'execution_interrupted';
      readonly executionId: string;
      readonly nodeId: string;
      readonly frame: string;
      readonly call?: EventCall;
      readonly prompt: string;
    }
  | { readonly type: 'execution_completed'; readonly executionId: string; readonly output: Json }
  | {
      readonly type: 'execution_failed';
      readonly executionId: string;
      readonly failure: Failure;
      readonly nodeId: string | null;
    }
  | { readonly type: 'execution_cancelled'; readonly executionId: string }
  | {
      /** A part of a model's text while it is generated: not committed, not stored, and not guaranteed to arrive. */
      readonly type: 'token';
      readonly executionId: string;
      readonly nodeId: string;
      readonly frame: string;
      readonly attempt: number;
      /** The index of the model's call, for an agent with tools: each call has a text of its own. */
      readonly call?: number;
      /** The number of preceding characters of that text. */
      readonly offset: number;
      readonly text: string;
    };

/** An event with its workflow: subscriptions use the workflow's id, so that they survive a rename. */
export interface Published {
  readonly workflowId: number;
  readonly event: LiveEvent;
}
