import { type FieldIssue, Problem, type ProblemDetail } from '../errors.ts';

/** The fields of an operation: the object that issues refer to, and the name of an object that must exist. */
const fields: ReadonlyMap<string, { readonly object: string[]; readonly name: string[] }> = new Map([
  ['create_node', { object: ['node'], name: [] }],
  ['update_node', { object: ['changes'], name: ['node_id'] }],
  ['delete_node', { object: [], name: ['node_id'] }],
  ['create_edge', { object: ['edge'], name: [] }],
  ['update_edge', { object: ['changes'], name: ['edge_id'] }],
  ['delete_edge', { object: [], name: ['edge_id'] }],
]);

/** The error for one of several operations: its Problem as a single edit, with the operation's index in `loc`. */
export function rejectionOf(error: unknown, op: string, index: number): unknown {
  if (!(error instanceof Problem)) return error;
  const { object = [], name = [] } = fields.get(op) ?? {};
  const operation = ['body', 'operations', index];
  const place = error.code === 'not_found' ? [...operation, ...name] : operation;
  // A missing object in a path is 404; one in a body makes the body invalid.
  const code = error.code === 'conflict' ? 'conflict' : 'invalid';
  const type = error.code === 'invalid' ? 'value_error' : error.code;
  return new Problem(
    code,
    issuesOf(error.detail).map((issue) => placed(issue, { place, inner: [...operation, ...object], type })),
  );
}

/** A Problem's detail as issues; a text is not about a field and has no `loc`. */
function issuesOf(detail: ProblemDetail): readonly (FieldIssue | string)[] {
  if (typeof detail === 'string') return [detail];
  return 'validation_errors' in detail ? detail.validation_errors : detail;
}

interface Placing {
  readonly place: FieldIssue['loc'];
  readonly inner: FieldIssue['loc'];
  readonly type: string;
}

function placed(issue: FieldIssue | string, { place, inner, type }: Placing): FieldIssue {
  if (typeof issue === 'string') return { type, loc: place, msg: issue };
  // Its own `loc` begins with `body`.
  return { ...issue, loc: [...inner, ...issue.loc.slice(1)] };
}
