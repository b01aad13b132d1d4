import { conversationMemoryConfig, defineComponent } from '@millrace/core';

export const conversationMemory = defineComponent({
  type: 'conversation_memory',
  label: 'Conversation Memory',
  category: 'Memory',
  icon: 'history',
  color: '#f59e0b',
  description: `What was said before in the same conversation of a chat, for the nodes that are connected to it by an edge labelled \`memory\`. It is never a step of a run.

A turn is what somebody said and the answer that was sent. Remembered are the last \`turns\`, as far as \`token_window\` has
room for them, each turn whole: one that is larger than the window is left out. Tokens are an estimate, of which four bytes make
one. Turns that have no answer yet, or whose executions failed before they answered, are not remembered.

The turns are those of the same user in the same session of the same workflow, from before the message that the execution
answers; so a retry or a replay remembers no more than the execution itself could. What is forgotten in the history of the
chat is remembered no more. Executions that no message of a chat started have nothing to remember: neither those of other
triggers, nor those of sub-workflows.

\`\`\`json
{ "turns": 10, "token_window": 4000 }
\`\`\`

With \`summarize\`, turns for which there is no more room become a summary of at most 4,000 characters, which the model is told
before the turns. The model of the node writes it, in a call of its own before the answer: once whenever the window is full, for all
turns but those in the last half of it. That call counts in the usage of the step. Where it fails, the answer is given without.`,
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
