import { part } from './row.ts';

/** The YAML language. */
export const dslRows = [
  part('YAML in the specification', 'spec.dsl', [
    [
      'validate',
      'POST validate-dsl `{yaml_str}`: 200 with the result',
      'validate-dsl: finds nothing wrong with a text of a workflow that can run, and stores nothing',
    ],
    ['validate.required', '`yaml_str` is required', 'validate-dsl: asks for the text'],
  ]),
  part('YAML', 'interface.dsl', [
    [
      'validate',
      'POST validate-dsl `{yaml_str}`: 200 `{valid, errors, issues, node_count, edge_count}`',
      'validate-dsl: finds nothing wrong with a text of a workflow that can run, and stores nothing',
    ],
    ['validate.place', 'issues have a line and a column', 'validate-dsl: says what is wrong, and where'],
    ['validate.required', '`yaml_str` is required: 422', 'validate-dsl: asks for the text'],
    [
      'validate.stores-nothing',
      'it stores nothing',
      'validate-dsl: finds nothing wrong with a text of a workflow that can run, and stores nothing',
    ],
    [
      'import',
      'POST import `{yaml_str, slug?, publish?}` makes or changes a workflow',
      'import: makes the workflow of a text',
      'import: changes the workflow that is there: what stays keeps its ids, and one save does it',
      'import: goes to the slug that the request names',
    ],
    [
      'import.is_active',
      'an import keeps `is_active` unless the text sets it',
      'import: with %j makes an is_active of %j one of %j',
    ],
    ['export', 'GET export gives it back', 'import: gives the canonical text, as JSON or as YAML'],
    [
      'round-trip',
      'import and export are one another’s inverse',
      'core/src/dsl/laws: is parsed as the same workflow and printed as the same text',
    ],
    [
      'valid',
      'a text is valid exactly when its workflow is',
      'core/src/dsl/laws: is valid exactly if its workflow is',
      'dsl.laws: a text is valid exactly when it is accepted and its workflow is valid, and it is one workflow whichever way it goes',
    ],
    [
      'prompt',
      '`prompt` is the `system_prompt`: an agent is told it, and asked its input',
      'models.whole: serves an agent of a text, which is told its prompt and asked what came',
    ],
    [
      'check.schedules',
      'schedules that never fire are found',
      'validate: are a wait for nothing, and a schedule without a time or for a date that no year has',
      'validate: are said of %s in a text, which is stored all the same',
      'components/src/trigger-schedule: of %s never fires',
    ],
    [
      'check.calls',
      'a text that runs a workflow that is not there, or that comes back to it, is told so as its workflow is',
      'validate.subworkflows: names it at its place, if it is not there, and can be stored',
      'validate.subworkflows: comes back to itself even before it is stored',
      'validate.subworkflows: hears of none that only others have',
      'validate.subworkflows: validate finds a workflow that no node can start',
    ],
    [
      'check.inputs',
      'sub-workflow inputs are checked against the `input_schema` of the other workflow, as far as they are known',
      'validate.subworkflows: must be what its input_schema takes: %s',
      'validate.subworkflows: is wrong at the value, at the key that is too much, or where one is missing',
      'server/src/services/validation/partial-schema: is never refused what the schema takes once it is known',
    ],
    [
      'check.waits',
      'waits that say neither how long nor until when are found',
      'validate: are a wait for nothing, and a schedule without a time or for a date that no year has',
      'components/src/wait: with %j passes the check, or lacks something: %s',
    ],
    [
      'check.signatures',
      'credentials without the secret that signatures are checked with are found',
      'validate: are a credential that checks signatures and has no secret for them',
      'validate: are said of the place where a text names the credential',
    ],
    [
      'steps',
      'the steps form compiles to the graph form',
      'core/src/dsl/steps-form: follow each other, starting at the trigger',
    ],
    ['once', 'all faults are found in one pass', 'core/src/dsl/check: are all found at once, in the order of the text'],
    [
      'limits',
      '256 KiB, depth 64, no aliases',
      'core/src/dsl/yaml/yaml-parse: may be 256 KiB long, 64 levels deep, and hold 50,000 values',
      'core/src/dsl/yaml/yaml-parse: %j is rejected with their position',
    ],
  ]),
];
