import { conversationMemoryConfig, defineComponent } from '@millrace/core';

export const conversationMemory = defineComponent({
  type: 'conversation_memory',
  label: 'Conversation Memory',
  category: 'Memory',
  icon: 'history',
  color: '#f59e0b',
  description: `Gives the earlier turns of the same chat conversation to the nodes that are connected to it by an edge labelled \`memory\`. It is never a step of a run.

A turn is a message and the answer that was sent. The memory has the last \`turns\` turns that fit into \`token_window\`; a
turn that does not fit is left out as a whole. Tokens are estimated: four bytes count as one. Turns without an answer, for
example because their execution failed, are left out.

The turns belong to the same user, session and workflow, and precede the message that the execution answers. So a retry or
a replay has no more turns than the original execution. Turns that were deleted from the history of the chat are no longer
included. The memory is empty in executions that no chat message started: those of other triggers and of sub-workflows.

\`\`\`json
{ "turns": 10, "token_window": 4000 }
\`\`\`

With \`summarize\`, turns that no longer fit are replaced by a summary of at most 4,000 characters, which the model receives
before the turns. The model of the node writes it in a separate call before the answer, once each time the window is full,
for all turns except those in the last half of the window. This call is included in the usage of the step. If it fails,
the step continues without a new summary.`,
  errors: [],
  example: {
    workflow: `name: Assistant
trigger: {type: chat}
model: {model_name: some-model}
steps:
  - id: reply
    type: agent
    prompt: You are a friendly assistant.
    memory: {type: conversation_memory, turns: 5, token_window: 2000}
`,
    tests: `tests:
  - name: The first message has nothing before it
    text: Hello!
    models:
      - {node: reply, input: Hello!, answer: Hello. How can I help?}
    expect:
      response: {body: {contains: {text: Hello. How can I help?}}}
`,
  },
  inputs: [],
  outputs: [{ name: 'memory', dataType: 'memory', description: 'The memory, for the nodes that use it.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config: conversationMemoryConfig,
});
