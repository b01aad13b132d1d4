/** The issues that a check of a whole graph can find. Each code has one sentence in the documentation. */
export const issueCodes = {
  unknown_component: 'A node has a type that is not in the catalogue.',
  config: 'A config value does not match the schema of the component.',
  expression: 'An expression has a syntax error.',
  unknown_name: 'An expression, or the code of a node, uses a name that does not exist.',
  secret_variable: 'An expression uses a secret variable where it is not sent to another service.',
  not_run_yet: 'An expression uses the output of a node that cannot have run at that point.',
  unordered: 'An expression uses the output of a node that may not have run at that point.',
  missing_connection: 'A required sub-component is not connected.',
  missing_input: 'A node needs an input, but no edge and no setting supplies it.',
  missing_setting: 'A node lacks a setting. Without it, the node, or a node that uses it, fails or has no effect.',
  bad_setting: 'A setting of a node is out of range, or is an invalid pattern, JSON Schema or header.',
  credential_missing: 'A node uses a credential that does not exist.',
  unusable_credential:
    'A node uses a credential of another type, one that does not say how to authenticate, or a bot that receives nothing.',
  no_conversation: 'A memory is connected in a workflow without a chat trigger, so it is always empty.',
  injection_path: 'An agent reads what people outside write, and acts outside without asking a person.',
  missing_node: 'An edge starts or ends at a node that does not exist.',
  edge_rule: 'An edge breaks a rule of its type.',
  edge_types:
    'The source output of an edge is not compatible with the target input, or a node that accepts no object receives several values at once.',
  cycle: 'Edges form a cycle outside a loop.',
  loop_body:
    'A loop has no body, nothing returns to it, another edge enters or leaves its body, or loops are nested too deep.',
  missing_error_edge: 'A node routes its errors but has no `error` edge.',
  unused_error_edge: 'An `error` edge is never taken, because the node handles its errors in another way.',
  unused_route: 'A conditional edge has a route that its switch never takes.',
  unused_rule: 'A rule of a switch selects a route that has no edge.',
  join_unmet: 'A node waits for more edges than can be taken.',
  subworkflow_input: "The payload of a `workflow` node does not match the other workflow's `input_schema`.",
  subworkflow_start:
    'A node runs a workflow that cannot be started: it is not active, or has no active `trigger_workflow`.',
  subworkflow_cycle: 'A node runs a workflow that calls this one, directly or through others.',
  never_fires: 'A schedule has no time at which it fires.',
  no_trigger: 'The workflow has no trigger.',
  mcp_trigger: 'The workflow is a tool for MCP clients, but has no `trigger_workflow` that they start.',
  unreachable: 'No path leads from a trigger to the node.',
  more_issues: 'The check found more issues than it lists.',
  // Issues of texts only.
  syntax: 'The text is not valid YAML, or not exactly one document.',
  too_large: 'The text is too long, too deep or contains too many values.',
  unsupported:
    'The text uses a YAML feature that is not supported: anchors, aliases, tags, or keys that are not strings.',
  duplicate: 'A text contains a key, a node id or an edge twice.',
  unknown_key: 'The key does not exist here.',
  field: 'A value is missing or is not valid for its key.',
  form: 'A text mixes the graph form and the steps form.',
  unknown_credential: 'A text names a credential that does not exist, or a name that several credentials have.',
  unknown_workflow: 'A node or a text names a workflow that does not exist or that the author cannot see.',
} as const;

export type IssueCode = keyof typeof issueCodes;

/** An issue of a graph: an error is a mistake, a warning may be intended or temporary. */
export interface GraphIssue {
  readonly code: IssueCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** How to fix it, if the message does not include that. */
  readonly hint?: string;
  readonly nodeId?: string;
  readonly edgeId?: number;
  /** Path in the config of the node, as text. */
  readonly field?: string;
  /** The same, key by key. */
  readonly path?: readonly (string | number)[];
  /** The key at that path is wrong, not its value. */
  readonly isKey?: boolean;
  /** Whether its subject can be stored although other issues with this code prevent that. */
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

/** Issues that a check lists: more than a user fixes before checking again. */
export const maxIssues = 500;

/** The last issue of a list that is not complete. */
export const moreIssues: GraphIssue = {
  code: 'more_issues',
  severity: 'warning',
  message: `There are more issues than the ${maxIssues} that are listed: fix these and check again.`,
};

/** The issues to list, in their order: errors that prevent storing come before other errors, and errors before warnings. */
export function issuesToList<Issue extends GraphIssue>(issues: readonly Issue[]): readonly Issue[] {
  if (issues.length <= maxIssues) return issues;
  const bySeverity = issues.toSorted((a, b) => severityOf(b) - severityOf(a));
  const chosen = new Set(bySeverity.slice(0, maxIssues));
  return issues.filter((issue) => chosen.has(issue));
}

/** The issues to list, with one that says whether there are more. */
export function limitIssues(issues: readonly GraphIssue[]): readonly GraphIssue[] {
  return issues.length <= maxIssues ? issues : [...issuesToList(issues), moreIssues];
}

function severityOf(issue: GraphIssue): number {
  if (isRejection(issue)) return 2;
  return isError(issue) ? 1 : 0;
}
