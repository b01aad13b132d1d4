/** What a channel is bound to once it was resolved: ids, so that a rename moves nobody. */
export type Topic = TopicAccess &
  (
    | { readonly kind: 'workflow'; readonly workflowId: number }
    | { readonly kind: 'execution'; readonly workflowId: number; readonly executionId: string }
  );

/** By what right somebody listens. */
export interface TopicAccess {
  /** `public`: only because the workflow is. Such a reader sees its graph, and nothing of anybody's runs: nor what its schedules started. */
  readonly access: 'member' | 'public';
}

/** A channel's name, taken apart. */
export interface ChannelName {
  readonly kind: Topic['kind'];
  /** The workflow's slug or the execution's id. */
  readonly name: string;
}

/** What is wrong when nothing that the caller may read has this name. */
export const notFoundDetail: Readonly<Record<Topic['kind'], string>> = {
  workflow: 'Workflow not found.',
  execution: 'Execution not found.',
};

/** Takes `workflow:<slug>` or `execution:<id>` apart; null for anything else. */
export function parseChannel(channel: string): ChannelName | null {
  const colon = channel.indexOf(':');
  const kind = channel.slice(0, colon);
  const name = channel.slice(colon + 1);
  if ((kind !== 'workflow' && kind !== 'execution') || name === '') return null;
  return { kind, name };
}
