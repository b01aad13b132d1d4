/** One invalid field of a request. */
interface FieldIssue {
  readonly type: string;
  /** The position of the field; starts with `body`, `query` or `path`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** One error or warning of a workflow's graph. */
interface GraphIssue {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly node_id?: string;
  readonly edge_id?: number;
  readonly field?: string;
}

/** An answer of the service that is not a success. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** The invalid fields; empty unless the request violates its schema. */
  readonly fields: readonly FieldIssue[];
  /** The errors of an invalid workflow; empty otherwise. */
  readonly issues: readonly GraphIssue[];
  /** The whole body. */
  readonly body: unknown;
  /** Seconds to wait before the next attempt; null unless the service says so. */
  readonly retryAfter: number | null;

  constructor(status: number, body: unknown, retryAfter: number | null = null) {
    super(messageOf(status, body));
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.retryAfter = retryAfter;
    this.fields = fieldsOf(body);
    this.issues = arrayAt(body, 'issues') as readonly GraphIssue[];
  }
}

/** The sentence that explains an error body: its detail is a text, a list of fields, or the errors of an edge. */
function messageOf(status: number, body: unknown): string {
  const detail = valueAt(body, 'detail');
  if (typeof detail === 'string') return detail;
  const fields = fieldsOf(body);
  if (fields.length > 0) return fields.map(({ loc, msg }) => `${placeOf(loc)} ${msg}`.trim()).join('; ');
  const edgeErrors = arrayAt(detail, 'validation_errors');
  if (edgeErrors.length > 0) return edgeErrors.join('; ');
  return `The service answered with status ${status}.`;
}

function fieldsOf(body: unknown): readonly FieldIssue[] {
  return arrayAt(body, 'detail') as readonly FieldIssue[];
}

/** `name` for `body.name`: a person knows that the field is in the request. */
function placeOf(loc: readonly (string | number)[]): string {
  return loc.slice(1).join('.');
}

function arrayAt(value: unknown, key: string): readonly unknown[] {
  const found = valueAt(value, key);
  return Array.isArray(found) ? found : [];
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
