/** What a channel is resolved to: ids, so that a rename affects no subscriber. */
export type Topic = TopicAccess &
  (
    | { readonly kind: 'workflow'; readonly workflowId: number }
    | { readonly kind: 'execution'; readonly workflowId: number; readonly executionId: string }
  );

/** The right by which a subscriber reads. */
export interface TopicAccess {
  /**
   * `public`: only because the workflow is public. Such a reader sees the graph, and nothing of runs or of what
   * schedules started. `viewer`: a collaborator who may not answer steps, and sees no links that do.
   */
  readonly access: 'member' | 'viewer' | 'public';
}

/** A parsed channel name. */
export interface ChannelName {
  readonly kind: Topic['kind'];
  /** The workflow's slug or the execution's id. */
  readonly name: string;
}

/** The error when the name leads to nothing that the caller may read. */
export const notFoundDetail: Readonly<Record<Topic['kind'], string>> = {
  workflow: 'Workflow not found.',
  execution: 'Execution not found.',
};

/** Parses `workflow:<slug>` or `execution:<id>`; null for anything else. */
export function parseChannel(channel: string): ChannelName | null {
  const colon = channel.indexOf(':');
  const kind = channel.slice(0, colon);
  const name = channel.slice(colon + 1);
  if ((kind !== 'workflow' && kind !== 'execution') || name === '') return null;
  return { kind, name };
}
