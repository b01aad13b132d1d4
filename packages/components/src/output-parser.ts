import { defineComponent, outputParserConfig } from '@millrace/core';

export const outputParser = defineComponent({
  type: 'output_parser',
  label: 'Output Parser',
  category: 'Sub-components',
  icon: 'braces',
  color: '#94a3b8',
  description: `Reads a value from a model's answer, for the nodes that are connected to it by an edge labelled \`output_parser\`. It is never a step of a run.

- \`json\` reads JSON: the whole answer, or the last fenced block, or the last object between other text, or the last list
  that is alone on its lines. With a \`schema\`, the last one that satisfies it.
- \`list\` reads a JSON list, also between sentences, or otherwise one item per line, without bullets and numbers; of the
  last fenced block, if there is one. A single line without a bullet is divided at its commas, but not inside a number such
  as \`1,000\`.
- \`regex\` returns the first match of its \`pattern\`: named groups as an object, several groups as a list, a single group as
  its text, or without groups the whole match. Patterns run in linear time, so backreferences and lookaround are not
  supported.

Reasoning between \`think\` tags is not a part of the answer.

For \`json\` and \`list\`, the model is also instructed to answer in that format. An answer that cannot be parsed fails the
step, which then calls the model again according to the node's \`retry\`.

\`\`\`json
{
  "parser": "json",
  "schema": {
    "type": "object",
    "properties": { "city": { "type": "string" } },
    "required": ["city"]
  }
}
\`\`\``,
  errors: [],
  example: {
    workflow: `name: Address reader
trigger: webhook
model: {model_name: some-model}
steps:
  - id: read
    type: agent
    prompt: Which city is the letter from?
    input: "{{ trigger.payload.letter }}"
    output_parser:
      type: output_parser
      parser: json
      schema: {type: object, properties: {city: {type: string}}, required: [city]}
`,
    tests: `tests:
  - name: The answer becomes an object
    payload: {letter: Greetings from Lyon}
    models: [{answer: 'Here it is: {"city": "Lyon"}'}]
    expect:
      outputs: {read: {output: {city: Lyon}}}
`,
  },
  inputs: [],
  outputs: [{ name: 'parser', dataType: 'output_parser', description: 'The parser, for the nodes that use it.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config: outputParserConfig,
  verbatim: ['schema', 'pattern'],
});
