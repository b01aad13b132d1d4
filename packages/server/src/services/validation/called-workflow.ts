/** The component at which a workflow starts that a node runs. */
export const calledTrigger = 'trigger_workflow';

/** Why no node can start a workflow: what a step says that tries, and a check before it. */
export const startIssues = {
  inactive: 'it is not active.',
  noTrigger: `it has no active ${calledTrigger}.`,
} as const;
