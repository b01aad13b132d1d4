import type fc from 'fast-check';
import { expect } from 'vitest';
import type { Member } from '../support/whole-app.ts';
import type { Model, Name } from './model.ts';

/** What is going to be asked, and what should come of it. */
export interface Planned {
  readonly user: Name;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `workflows` when left out. */
  readonly collection?: string;
  /** Below its collection. */
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** What the answer shows at least. */
  readonly shows?: unknown;
  /** What the model learns from the answer. */
  readonly learn?: (body: unknown) => void;
}

/** Something that somebody does, decided with the model at hand. */
export type Action = (model: Model) => Planned;

/** Those who do it. */
export type Cast = Readonly<Record<Name, Member>>;

/** A deed as fast-check runs it: the answer is what the model says, and the model goes on. */
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
