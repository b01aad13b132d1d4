/** What the interface says and nothing does yet: each row becomes one with tests when it is built. */
export const laterRows: readonly { readonly id: string; readonly says: string }[] = [
  { id: 'interface.workflows.default.chat', says: 'the default workflow receives chat messages that name none' },
  { id: 'interface.executions.chat', says: 'POST chat; GET and DELETE its history' },
  { id: 'interface.live.model-text', says: 'event `token`' },
];
