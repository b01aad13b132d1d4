import type { Json, JsonObject } from '@millrace/core';

/** A node of a case's workflow, which follows the previous one. */
export interface StepSketch {
  readonly type: string;
  readonly config: JsonObject;
  /** Whether it sends its requests with the secret of a credential. */
  readonly isSecret?: boolean;
}

/** A connection between two steps by their positions; -1 is the trigger. */
export interface EdgeSketch {
  readonly from: number;
  readonly to: number;
  readonly label?: 'loop_body' | 'loop_return' | 'llm' | 'output_parser';
}

/** A body that is not JSON. */
interface RawBody {
  readonly type: string;
  readonly text: string;
}

/** A workflow that receives a payload by its webhook. */
export interface RunCase {
  readonly kind: 'run';
  readonly name: string;
  readonly steps: readonly StepSketch[];
  /** Without edges, the steps follow one another. */
  readonly edges?: readonly EdgeSketch[];
  readonly payload: Json;
  /** Sent in place of the payload. */
  readonly body?: RawBody;
  /** Secret variables of the workflow, which the remote service may receive. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The body with which the remote service answers; its address is `{{ remote }}` in a config. */
  readonly answer?: string;
  readonly inputSchema?: JsonObject;
  /** Whether the sender waits for the output of the last node. */
  readonly isAwaited?: boolean;
}

/** Requests of one user, in order. `{{ slug }}` in a path is the case's workflow, which has the given steps. */
export interface RequestCase {
  readonly kind: 'request';
  readonly name: string;
  /** A run with this payload comes before the requests, and is not measured. */
  readonly before?: Omit<RunCase, 'kind' | 'name'>;
  readonly requests: readonly {
    readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly body?: Json;
    /** Whether it starts an execution, whose end belongs to the case. */
    readonly isStart?: boolean;
  }[];
}

export type StallCase = RunCase | RequestCase;

/** Chance, for the sizes and shapes of a case. */
export interface Dice {
  /** An integer from `least` to `most`. */
  integer(least: number, most: number): number;
  /** The same for the size of something, which is smaller in a small case. */
  size(least: number, most: number): number;
  pick<Choice>(choices: readonly Choice[]): Choice;
}

/** Makes a case of one kind. */
export type MakeCase = (dice: Dice) => StallCase;

/** @param scale 1 for sizes up to the limits of the service, less for smaller ones */
export function diceOf(random: () => number, scale: number): Dice {
  const integer = (least: number, most: number) => Math.floor(least) + Math.floor(random() * (most - least + 1));
  return {
    integer,
    size: (least, most) => Math.max(1, Math.round(integer(least, most) * scale)),
    pick: <Choice>(choices: readonly Choice[]) => choices[Math.floor(random() * choices.length)] as Choice,
  };
}
