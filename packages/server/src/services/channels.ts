import { Problem, type User } from '@millrace/core';
import { type AccessStore, loadWorkflow } from './access.ts';
import type { Executions } from './executions.ts';

/** What a channel of live events is about. */
export type ChannelTopic =
  | { readonly kind: 'workflow'; readonly workflowId: number }
  | { readonly kind: 'execution'; readonly workflowId: number; readonly executionId: string };

/** Finds what a channel's name means to a user; null when they may not read it, or nothing has that name. */
export type ResolveChannel = (user: User, kind: ChannelTopic['kind'], name: string) => Promise<ChannelTopic | null>;

interface ChannelsPorts {
  readonly store: AccessStore;
  readonly executions: Pick<Executions, 'find'>;
}

export function createChannels({ store, executions }: ChannelsPorts): ResolveChannel {
  async function resolve(user: User, kind: ChannelTopic['kind'], name: string): Promise<ChannelTopic> {
    if (kind === 'workflow') return { kind, workflowId: (await loadWorkflow(store, user, name)).id };
    const { id, workflowId } = await executions.find(user, name);
    return { kind, workflowId, executionId: id };
  }

  return (user, kind, name) =>
    resolve(user, kind, name).catch((error: unknown) => {
      if (error instanceof Problem && error.kind === 'not_found') return null;
      throw error;
    });
}
