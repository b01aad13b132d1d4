import { linkTokensIn, type User, withoutLinkTokens } from '@millrace/core';
import type { Turns } from '../../ground/turns.ts';
import { mayWrite, standingOf } from '../access/access.ts';
import { type ExecutionAccessStore, isExecutionId } from './execution-access.ts';
import { executionOfToken } from './wait-links.ts';

/** Hides the links that answer a step from users who may not answer it. */
export interface LinkMasks {
  /**
   * The text of a response with `****` for the tokens of links to executions that the user may not control; of all links
   * for null. It does not matter how a link came into the text. Links to executions that were deleted answer nothing, and stay.
   */
  shownTo(user: Pick<User, 'id'> | null, text: string): string | Promise<string>;
}

interface LinkMasksPorts {
  readonly store: ExecutionAccessStore;
  readonly turns: Pick<Turns, 'finish'>;
}

export function createLinkMasks({ store, turns }: LinkMasksPorts): LinkMasks {
  /** Whether the user may answer the steps of an execution; also true if there is no such execution any more. */
  async function mayAnswer(user: Pick<User, 'id'>, executionId: string | null): Promise<boolean> {
    if (executionId === null || !isExecutionId(executionId)) return false;
    const run = await store.executions.byId(executionId);
    if (run === null || run.ownerId === user.id) return true;
    const workflow = await store.workflows.byId(run.workflowId);
    return workflow !== null && mayWrite(await standingOf(store, user, workflow));
  }

  async function masked(user: Pick<User, 'id'>, text: string, tokens: readonly string[]): Promise<string> {
    const names = await turns.finish(
      (function* () {
        const found = new Map<string, string | null>();
        for (const token of tokens) {
          found.set(token, executionOfToken(token));
          yield;
        }
        return found;
      })(),
    );
    const answers = new Map<string | null, boolean>();
    for (const id of new Set(names.values())) answers.set(id, await mayAnswer(user, id));
    const isHidden = (token: string): boolean => answers.get(names.get(token) ?? null) !== true;
    return withoutLinkTokens(text, isHidden);
  }

  return {
    shownTo(user, text) {
      const tokens = linkTokensIn(text);
      if (tokens.length === 0) return text;
      return user === null ? withoutLinkTokens(text, () => true) : masked(user, text, tokens);
    },
  };
}
