import { Problem, type User } from '@millrace/core';
import { loadWorkflow, mayWrite, type Standing, standingOf } from '../access/access.ts';
import { type ExecutionAccessStore, loadExecution } from './execution-access.ts';

/** The subject of a channel of live events, and the right by which it is read. A viewer sees no links to answer a step. */
export type ChannelTopic = { readonly access: 'member' | 'viewer' | 'public' } & (
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
  readonly store: ExecutionAccessStore;
}

export function createChannels({ store }: ChannelsPorts): Channels {
  async function resolve(user: User, kind: ChannelTopic['kind'], name: string): Promise<ChannelTopic> {
    if (kind === 'workflow') {
      const workflow = await loadWorkflow(store, user, name);
      const standing = await standingOf(store, user, workflow);
      return { kind, workflowId: workflow.id, access: accessOf(standing) };
    }
    const { execution, standing } = await loadExecution(store, user, name);
    return { kind, workflowId: execution.workflowId, executionId: execution.id, access: accessOf(standing) };
  }

  /** The user's present standing in the workflow of a topic; null if they may not read the topic any more. */
  async function standingTo(user: User, topic: ChannelTopic): Promise<Standing | null> {
    if (topic.kind === 'execution') {
      return (await unlessNotFound(loadExecution(store, user, topic.executionId)))?.standing ?? null;
    }
    const workflow = await store.workflows.byId(topic.workflowId);
    return workflow === null ? null : standingOf(store, user, workflow);
  }

  return {
    resolve: (user, kind, name) => unlessNotFound(resolve(user, kind, name)),
    async mayStillRead(user, topic) {
      const standing = await standingTo(user, topic);
      return standing !== null && rank[accessOf(standing)] >= rank[topic.access];
    },
  };
}

/** The order of the rights: each includes those before it. */
const rank = { public: 0, viewer: 1, member: 2 } as const;

/** The right that a standing gives. A reader whose standing ended meanwhile gets the least until the next check. */
function accessOf(standing: Standing | null): ChannelTopic['access'] {
  if (standing === null || standing === 'public') return 'public';
  return mayWrite(standing) ? 'member' : 'viewer';
}

async function unlessNotFound<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'not_found') return null;
    throw error;
  }
}
