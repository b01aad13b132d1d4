/** The trigger component of workflows that nodes call. */
export const calledTrigger = 'trigger_workflow';

/** Why no node can start a workflow, for errors of steps and for validation. */
export const startIssues = {
  inactive: 'it is not active.',
  noTrigger: `it has no active ${calledTrigger}.`,
} as const;
