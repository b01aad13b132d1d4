/** The fields of a workflow that a test does not set: the specification's defaults. */
export const blankWorkflow = {
  description: '',
  isActive: true,
  isPublic: false,
  isDefault: false,
  mcp: false,
  budget: null,
  tags: null,
  errorHandlerWorkflowId: null,
  inputSchema: null,
  outputSchema: null,
  maxExecutionSeconds: 900,
  concurrency: null,
  concurrencyKey: null,
  priority: 0,
} as const;
