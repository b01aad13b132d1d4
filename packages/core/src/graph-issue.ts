/** What a check of a whole graph can find. Each code is one sentence of the documentation. */
export const issueCodes = {
  unknown_component: 'A node has a type that the catalogue does not know.',
  config: 'A config value is not what the component takes.',
  expression: 'An expression cannot be read.',
  unknown_name: 'An expression names what does not exist.',
  missing_connection: 'A sub-component that the node needs is not connected.',
  missing_setting: 'A node lacks a setting, without which those that use it fail.',
  not_supported: 'A sub-component is connected that this version cannot use yet.',
  missing_node: 'An edge begins or ends at a node that does not exist.',
  edge_rule: 'An edge breaks a rule of its type.',
  edge_types: 'The source output of an edge does not fit the target input.',
  cycle: 'Edges lead back to where they came from, outside a loop.',
  missing_error_edge: 'A node sends its errors along an edge that is not there.',
  unused_error_edge: 'An error edge is never taken, because the node handles its errors otherwise.',
  unused_route: 'A conditional edge waits for a route that its switch never takes.',
  no_trigger: 'Nothing starts the workflow.',
  unreachable: 'No trigger leads to the node.',
} as const;

export type IssueCode = keyof typeof issueCodes;

/** One thing that is wrong with a graph, or at least odd. An error keeps it from running; a warning does not. */
export interface GraphIssue {
  readonly code: IssueCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly nodeId?: string;
  readonly edgeId?: number;
  /** Path in the config of the node. */
  readonly field?: string;
}

export function isError(issue: GraphIssue): boolean {
  return issue.severity === 'error';
}
