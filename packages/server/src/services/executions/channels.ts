import { Problem, type User } from '@millrace/core';
import { type AccessStore, isMember, loadWorkflow, standingOf } from '../access/access.ts';
import type { Executions } from './executions.ts';

/** The subject of a channel of live events, and whether its reader is a member of the workflow. */
export type ChannelTopic = { readonly access: 'member' | 'public' } & (
  | { readonly kind: 'workflow'; readonly workflowId: number }
  | { readonly kind: 'execution'; readonly workflowId: number; readonly executionId: string }
);

/** Decides who may subscribe to which channel. */
export interface Channels {
  /** The topic of a channel's name; null if the user may not read it, or if it does not exist. */
  resolve(user: User, kind: ChannelTopic['kind'], name: string): Promise<ChannelTopic | null>;
  /** True if the user may still read all that they could read when the name was resolved. */
  mayStillRead(user: User, topic: ChannelTopic): Promise<boolean>;
}

interface ChannelsPorts {
  readonly store: AccessStore;
  readonly executions: Pick<Executions, 'find'>;
}

export function createChannels({ store, executions }: ChannelsPorts): Channels {
  async function resolve(user: User, kind: ChannelTopic['kind'], name: string): Promise<ChannelTopic> {
    if (kind === 'workflow') {
      const workflow = await loadWorkflow(store, user, name);
      const standing = await standingOf(store, user, workflow);
      return { kind, workflowId: workflow.id, access: isMember(standing) ? 'member' : 'public' };
    }
    const { id, workflowId } = await executions.find(user, name);
    return { kind, workflowId, executionId: id, access: 'member' };
  }

  return {
    resolve: (user, kind, name) => unlessNotFound(resolve(user, kind, name)),
    async mayStillRead(user, topic) {
      if (topic.kind === 'execution') return (await unlessNotFound(executions.find(user, topic.executionId))) !== null;
      const workflow = await store.workflows.byId(topic.workflowId);
      if (workflow === null) return false;
      const standing = await standingOf(store, user, workflow);
      return topic.access === 'member' ? isMember(standing) : standing !== null;
    },
  };
}

async function unlessNotFound<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'not_found') return null;
    throw error;
  }
}
