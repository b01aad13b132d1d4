import { part } from './row.ts';

/** The YAML language. */
export const dslRows = [
  part('YAML in the specification', 'spec.dsl', [
    [
      'validate',
      'POST validate-dsl `{yaml_str}`: 200 with the result',
      'validate-dsl: reports nothing for the text of a valid workflow, and stores nothing',
    ],
    ['validate.required', '`yaml_str` is required', 'validate-dsl: requires the text'],
  ]),
  part('YAML', 'interface.dsl', [
    [
      'validate',
      'POST validate-dsl `{yaml_str}`: 200 `{valid, errors, issues, node_count, edge_count}`',
      'validate-dsl: reports nothing for the text of a valid workflow, and stores nothing',
    ],
    ['validate.place', 'issues have a line and a column', 'validate-dsl: reports what is wrong, and where'],
    ['validate.required', '`yaml_str` is required: 422', 'validate-dsl: requires the text'],
    [
      'validate.hint',
      'an issue has a `hint` if its message does not name the remedy',
      'validate.hints: the hint of %s for %s and the edges %s names the remedy',
    ],
    [
      'validate.unknown-keys',
      'an unknown key that is known elsewhere says where it belongs, and is never suggested for itself',
      'components/src/unknown-keys: an unknown key is never suggested for itself, wherever it is given',
      'components/src/unknown-keys: a key that is known in another place of the node says where it belongs',
    ],
    [
      'validate.stores-nothing',
      'it stores nothing',
      'validate-dsl: reports nothing for the text of a valid workflow, and stores nothing',
    ],
    [
      'import',
      'POST import `{yaml_str, slug?, publish?}` creates or changes a workflow',
      'import: creates the workflow of a text',
      'import: changes an existing workflow in one save, and unchanged parts keep their ids',
      'import: is stored under the slug of the request',
    ],
    [
      'import.is_active',
      'an import leaves `is_active` unchanged unless the text sets it',
      'import: with %j changes is_active from %j to %j',
    ],
    ['export', 'GET export returns the text', 'import: returns the canonical text, as JSON or as YAML'],
    [
      'round-trip',
      'import and export are inverse to each other',
      'core/src/dsl/laws: is parsed as the same workflow and printed as the same text',
    ],
    [
      'valid',
      'a text is valid exactly if its workflow is',
      'core/src/dsl/laws: is valid exactly if its workflow is',
      'dsl.laws: a text is valid exactly if it is accepted and its workflow is valid, and every way to import it gives the same workflow',
    ],
    [
      'prompt',
      '`prompt` is the `system_prompt`; the input is the user message',
      'models.whole: is used by an agent of a text, whose prompt and input are sent',
    ],
    [
      'check.schedules',
      'schedules that never fire are reported',
      'validate.settings: are a wait for nothing, and a schedule without a time or for a date that never occurs',
      'validate.settings: are reported for %s in a text, which can still be stored',
      'components/src/trigger-schedule: of %s never fires',
    ],
    [
      'check.calls',
      'calls of missing workflows and cycles of calls are reported for a text as for its workflow',
      'validate.subworkflows: is reported with the position of the name if that workflow is missing, and can be stored',
      'validate.subworkflows: is checked for cycles even before it is stored',
      'validate.subworkflows: gets the same answer for workflows of others as for missing ones',
      'validate.subworkflows: validate reports a called workflow that cannot be started',
    ],
    [
      'check.inputs',
      'sub-workflow inputs are checked against the `input_schema` of the other workflow, as far as they are known',
      'validate.subworkflows: must match its input_schema: %s',
      'validate.subworkflows: is reported at the wrong value, at the extra key, or at the object with a missing key',
      'server/src/services/validation/partial-schema: a payload with unknown parts is never rejected if the schema accepts it once it is known',
    ],
    [
      'check.waits',
      'waits without a duration and a time are reported',
      'validate.settings: are a wait for nothing, and a schedule without a time or for a date that never occurs',
      'components/src/wait: with %j passes the check, or lacks something: %s',
    ],
    [
      'check.signatures',
      'credentials without the secret for checking signatures are reported',
      'validate.settings: are a credential for checking signatures without a secret',
      'validate.settings: are reported at the position at which a text names the credential',
    ],
    [
      'steps',
      'the steps form compiles to the graph form',
      'core/src/dsl/steps-form: follow each other, starting at the trigger',
    ],
    [
      'once',
      'all errors are reported in one pass',
      'core/src/dsl/check: are all found at once, in the order of the text',
    ],
    [
      'limits',
      '256 KiB, depth 64, no aliases',
      'core/src/dsl/yaml/yaml-parse: may be 256 KiB long, 64 levels deep, and hold 50,000 values',
      'core/src/dsl/yaml/yaml-parse: %j is rejected with their position',
    ],
  ]),
];
