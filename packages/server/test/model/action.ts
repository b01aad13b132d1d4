import type fc from 'fast-check';
import { expect } from 'vitest';
import type { Member } from '../support/whole-app.ts';
import type { Model, Name } from './model.ts';

/** A request, and its expected response. */
export interface Planned {
  readonly user: Name;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Default: `workflows`. */
  readonly collection?: string;
  /** The path below the collection. */
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** The minimum content of the response. */
  readonly shows?: unknown;
  /** Updates the model from the response. */
  readonly learn?: (body: unknown) => void;
}

/** A user's action, determined from the current model. */
export type Action = (model: Model) => Planned;

/** The users. */
export type Cast = Readonly<Record<Name, Member>>;

/** An action as a fast-check command: checks the response against the model, and updates the model. */
export class Command implements fc.AsyncCommand<Model, Cast> {
  readonly #name: string;
  readonly #action: Action;

  constructor(name: string, action: Action) {
    this.#name = name;
    this.#action = action;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, cast: Cast): Promise<void> {
    const { user, collection = 'workflows', method, path, body, status, shows, learn } = this.#action(model);
    const json =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) };
    const answer = await cast[user].inject({ method, url: `/api/v1/${collection}/${path}`, ...json });
    const where = `${user}: ${method} ${collection}/${path} ${JSON.stringify(body) ?? ''}`;
    expect([where, answer.status, answer.text]).toEqual([where, status, answer.text]);
    if (shows !== undefined) expect([where, answer.body]).toMatchObject([where, shows]);
    if (status < 300) learn?.(answer.body);
  }

  toString(): string {
    return this.#name;
  }
}
