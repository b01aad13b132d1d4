import type { Json, JsonObject } from '@millrace/core';

/** A node of a case's workflow, which follows the previous one. */
export interface StepSketch {
  readonly type: string;
  readonly config: JsonObject;
  /** Whether it sends its requests with the secret of a credential. */
  readonly isSecret?: boolean;
}

/** A workflow that receives a payload by its webhook. */
export interface RunCase {
  readonly kind: 'run';
  readonly name: string;
  readonly steps: readonly StepSketch[];
  readonly payload: Json;
  /** The body with which the remote service answers; its address is `{{ remote }}` in a config. */
  readonly answer?: string;
  readonly inputSchema?: JsonObject;
}

/** Requests of one user, in order. `{{ slug }}` in a path is the case's workflow, which has the given steps. */
export interface RequestCase {
  readonly kind: 'request';
  readonly name: string;
  /** A run with this payload comes before the requests, and is not measured. */
  readonly before?: Omit<RunCase, 'kind' | 'name'>;
  readonly requests: readonly {
    readonly method: 'GET' | 'POST' | 'DELETE';
    readonly path: string;
    readonly body?: Json;
  }[];
}

export type StallCase = RunCase | RequestCase;

/** Chance, for the sizes and shapes of a case. */
export interface Dice {
  /** An integer from `least` to `most`. */
  integer(least: number, most: number): number;
  pick<Choice>(choices: readonly Choice[]): Choice;
}

/** Makes a case of one kind. */
export type MakeCase = (dice: Dice) => StallCase;

export function diceOf(random: () => number): Dice {
  return {
    integer: (least, most) => least + Math.floor(random() * (most - least + 1)),
    pick: <Choice>(choices: readonly Choice[]) => choices[Math.floor(random() * choices.length)] as Choice,
  };
}
