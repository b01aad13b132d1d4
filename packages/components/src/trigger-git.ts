import { asObject, defaultGitEvents, defineComponent } from '@millrace/core';
import { z } from 'zod';

/** More events than a host has kinds of. */
const maxEvents = 100;
/** More patterns than a team has kinds of branches. */
const maxBranches = 100;
/** Longer than the names of branches that hosts accept. */
const maxPatternLength = 255;

const config = z.strictObject({
  events: z
    .array(z.string().min(1).max(maxPatternLength))
    .min(1)
    .max(maxEvents)
    .describe(
      'The events that start the workflow, as the host names them: `push`, `pull_request`, `merge_request`, `tag_push`, … ' +
        '`*` is any event.',
    )
    .meta({ default: [...defaultGitEvents], examples: [['push', 'pull_request']] })
    .optional(),
  branches: z
    .array(z.string().min(1).max(maxPatternLength))
    .max(maxBranches)
    .describe(
      'Patterns of the branches that start the workflow. `*` is any text without a slash, `**` any text, and `?` one ' +
        'character. With patterns, events without a branch, e.g. of tags and issues, start nothing. Default: any event.',
    )
    .meta({ examples: [['main', 'release/**']] })
    .optional(),
});

export const triggerGit = defineComponent({
  type: 'trigger_git',
  label: 'Git Trigger',
  category: 'Triggers',
  icon: 'git-branch',
  color: '#f97316',
  description: `Starts the workflow when something happens in a repository: a push, a pull or merge request, an issue. The git host
delivers the event to the webhook address of the workflow.

Use it to check, deploy or announce changes. Store a secret as the \`webhook_secret\` of a credential of type \`git\`, set it
in \`credential_id\`, and configure the same secret and the address at the host. Every delivery needs a valid signature or
token of the host, even if it has an API key; without a \`webhook_secret\`, all deliveries are rejected. A delivery that the
host repeats starts nothing, and events that the config does not name are answered with 200 and start nothing.
\`{{ trigger.payload.ref }}\` is a value of the event.

This config starts the workflow for pushes to \`main\` and to release branches:

\`\`\`json
{ "events": ["push"], "branches": ["main", "release/**"] }
\`\`\``,
  errors: [],
  example: {
    workflow: `name: Deploy
nodes:
  - id: pushed
    type: trigger_git
    events: [push]
    branches: [main, "release/**"]
  - id: note
    type: template
    template: "{{ pushed.event }} of {{ pushed.payload.after }} to {{ pushed.payload.ref }}"
edges:
  - pushed -> note
`,
    tests: `tests:
  - name: The commit is announced
    text: push
    payload: {ref: refs/heads/main, after: 8ad1c2e}
    expect:
      outputs: {note: {output: push of 8ad1c2e to refs/heads/main}}
`,
  },
  inputs: [],
  outputs: [
    { name: 'event', dataType: 'text', description: 'The name of the event, e.g. `push` or `merge_request`.' },
    { name: 'payload', dataType: 'object', description: 'The event, as the host describes it.' },
  ],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  run({ input }) {
    const { payload = {}, text = '' } = asObject(input, 'trigger');
    return { outputs: { event: text, payload } };
  },
});
