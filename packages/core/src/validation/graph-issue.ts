/** The issues that a check of a whole graph can find. Each code has one sentence in the documentation. */
export const issueCodes = {
  unknown_component: 'A node has a type that the catalogue does not know.',
  config: 'A config value is not what the component takes.',
  expression: 'An expression cannot be read.',
  unknown_name: 'An expression, or the code of a node, names what does not exist.',
  secret_variable: 'An expression uses a secret variable where it is not sent to another service.',
  not_run_yet: 'An expression names a node that cannot have run when it is evaluated.',
  unordered: 'An expression names a node that need not have run when it is evaluated.',
  missing_connection: 'A sub-component that the node needs is not connected.',
  missing_input: 'A node needs an input, but no edge and no setting supplies it.',
  missing_setting: 'A node lacks a setting, without which it or those that use it fail, or do nothing.',
  bad_setting: 'A setting of a node is outside its range, or is no pattern, JSON Schema or header that can be used.',
  credential_missing: 'A node names a credential that does not exist.',
  unusable_credential: 'A node names a credential that is of another type, or does not say how to authenticate there.',
  not_supported: 'A sub-component is connected that this version cannot use yet.',
  no_conversation: 'A memory is connected in a workflow that no chat starts: it has nothing to remember.',
  missing_node: 'An edge begins or ends at a node that does not exist.',
  edge_rule: 'An edge breaks a rule of its type.',
  edge_types: 'The source output of an edge does not fit the target input.',
  cycle: 'Edges lead back to where they came from, outside a loop.',
  loop_body:
    'A loop has no body, nothing returns to it, an edge leads into its body or out of it in another way, or too many loops are in each other.',
  missing_error_edge: 'A node sends its errors along an edge that is not there.',
  unused_error_edge: 'An error edge is never taken, because the node handles its errors otherwise.',
  unused_route: 'A conditional edge waits for a route that its switch never takes.',
  unused_rule: 'A switch takes a route that no edge leads along.',
  join_unmet: 'A node waits for more edges than can be taken.',
  subworkflow_input: 'What a node gives to the workflow that it runs does not fit the `input_schema` of that one.',
  subworkflow_start:
    'A node runs a workflow that no node can start: it is not active, or has no active `trigger_workflow`.',
  subworkflow_cycle: 'A node runs a workflow that comes back to this one.',
  never_fires: 'A schedule has no time at which it fires.',
  no_trigger: 'Nothing starts the workflow.',
  unreachable: 'No trigger leads to the node.',
  // Issues of texts only.
  syntax: 'The text is not YAML, or not one document.',
  too_large: 'The text is longer, deeper or holds more values than allowed.',
  unsupported: 'The text uses what YAML has and this language does not: anchors, aliases, tags, other kinds of keys.',
  duplicate: 'Two keys, nodes or edges of a text are the same.',
  unknown_key: 'The language has no such key here.',
  field: 'A value of a text is not what its key takes, or is missing.',
  form: 'A text mixes the graph form with the steps form.',
  unknown_credential: 'A text names a credential that does not exist, or that several have the name of.',
  unknown_workflow: 'A node or a text names a workflow that does not exist, or that its author may not see.',
} as const;

export type IssueCode = keyof typeof issueCodes;

/** An issue of a graph: an error is a mistake, a warning may be intended or temporary. */
export interface GraphIssue {
  readonly code: IssueCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly nodeId?: string;
  readonly edgeId?: number;
  /** Path in the config of the node, as text. */
  readonly field?: string;
  /** The same, key by key. */
  readonly path?: readonly (string | number)[];
  /** The key at that path is wrong, not its value. */
  readonly isKey?: boolean;
  /** Its subject can be stored, whatever applies to other issues with this code. */
  readonly canBeStored?: boolean;
}

/** Issues that make a graph invalid but do not prevent storing it: the workflow may be unfinished. */
const unfinished: ReadonlySet<IssueCode> = new Set([
  'unknown_name',
  'secret_variable',
  'not_run_yet',
  'join_unmet',
  'missing_connection',
  'missing_node',
  'edge_types',
  'cycle',
  'loop_body',
  'missing_error_edge',
  'missing_input',
  'missing_setting',
  'bad_setting',
  'never_fires',
  'subworkflow_input',
  'subworkflow_start',
  'subworkflow_cycle',
]);

/** Whether an issue prevents storing its subject. */
export function isRejection(issue: GraphIssue): boolean {
  return isError(issue) && !unfinished.has(issue.code) && issue.canBeStored !== true;
}

/** Whether an issue makes a workflow invalid. */
export function isError(issue: GraphIssue): boolean {
  return issue.severity === 'error';
}
