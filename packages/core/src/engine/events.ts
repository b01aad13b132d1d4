import type { HttpAnswer } from '../component/component.ts';
import type { Edge, Node, Workflow } from '../graph/graph.ts';
import type { Schedule } from '../graph/schedule.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Failure } from './journal/history.ts';

/** What happened, told to subscribers after its commit. `contract` gives each its form on the wire. */
export type LiveEvent =
  | { readonly type: 'workflow_updated'; readonly workflow: Workflow }
  | {
      readonly type: 'node_created' | 'node_updated';
      readonly node: Node;
      /** Of a node that has one. */
      readonly schedule?: Schedule;
    }
  | { readonly type: 'node_deleted'; readonly nodeId: string }
  | { readonly type: 'edge_created' | 'edge_updated'; readonly edge: Edge }
  | { readonly type: 'edge_deleted'; readonly id: number }
  | { readonly type: 'execution_started'; readonly executionId: string; readonly triggerNodeId: string }
  | {
      readonly type: 'node_status';
      readonly executionId: string;
      readonly nodeId: string;
      readonly status: 'running' | 'success' | 'failed' | 'skipped' | 'retrying' | 'waiting';
      readonly output?: JsonObject;
      readonly failure?: Failure;
      readonly durationMs?: number;
      /** What a respond node answered: for the request that waits, not part of the wire event. */
      readonly respond?: HttpAnswer;
    }
  | {
      /** A step waits for a person. */
      readonly type: 'execution_interrupted';
      readonly executionId: string;
      readonly nodeId: string;
      readonly frame: string;
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
      /** A model's text while it comes: of no commit, kept nowhere, and not sure to arrive. */
      readonly type: 'token';
      readonly executionId: string;
      readonly nodeId: string;
      readonly frame: string;
      readonly attempt: number;
      /** How many characters of the attempt's text came before. */
      readonly offset: number;
      readonly text: string;
    };

/** An event with where it belongs: subscribers are bound to the workflow's id, so a rename moves nobody. */
export interface Published {
  readonly workflowId: number;
  readonly event: LiveEvent;
}
