import { defineComponent, outputParserConfig } from '@millrace/core';

export const outputParser = defineComponent({
  type: 'output_parser',
  label: 'Output Parser',
  category: 'Sub-components',
  icon: 'braces',
  color: '#94a3b8',
  description: `Turns the text of a model into a value, for the nodes that are connected to it by an edge labelled \`output_parser\`. It is never a step of a run.

- \`json\` reads JSON, also from a fenced block or between other text, and checks it against the \`schema\`, if there is one.
- \`list\` reads a JSON list, else one item a line, without bullets and numbers.
- \`regex\` gives what its \`pattern\` finds first: the named groups as an object, several groups as a list, one group, or
  without groups all that matched. Patterns run in linear time, so there are no backreferences and no lookaround.

For \`json\` and \`list\` the model is also told to answer in that form. An answer that cannot be parsed fails the step, which
then asks again as the node's \`retry\` says.

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
