/** A JSON Schema in the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** A parameter of a path or a query, or a header of a request. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** A body of one type. */
export interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Content {
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface Response extends Content {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
}

interface RawOperation {
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The parts of the OpenAPI document that the tests read. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The answer of an operation with one status. */
export interface DocumentedAnswer {
  readonly description: string;
  /** Null if there is no body. */
  readonly schema: Schema | null;
}

interface RequestBody {
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly examples: readonly unknown[];
}

/** One endpoint of the document. */
export interface Operation {
  /** `POST /api/v1/workflows/`: its name in messages. */
  readonly name: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** Null if it has no body. */
  readonly body: RequestBody | null;
  /** By status; `2XX` and `5XX` stand for all statuses of their class. */
  readonly answers: ReadonlyMap<string, DocumentedAnswer>;
  /** Whether it requires a key. */
  readonly needsKey: boolean;
  /** Exactly as in the document. */
  readonly raw: RawOperation;
}

const jsonType = 'application/json';

/** All endpoints of the document, in its order. */
export function operationsOf(document: OpenapiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, raw]) => operationOf(method.toUpperCase(), path, raw)),
  );
}

function operationOf(method: string, path: string, raw: RawOperation): Operation {
  const body = raw.requestBody?.content?.[jsonType];
  return {
    name: `${method} ${path}`,
    method,
    path,
    tag: raw.tags?.[0] ?? '',
    summary: raw.summary,
    parameters: raw.parameters ?? [],
    body:
      body === undefined
        ? null
        : {
            schema: body.schema,
            isRequired: raw.requestBody?.required ?? false,
            examples: Object.values(body.examples ?? {}).map(({ value }) => value),
          },
    answers: new Map(
      Object.entries(raw.responses).map(([status, { description, content }]) => [
        status,
        { description, schema: content?.[jsonType]?.schema ?? null },
      ]),
    ),
    needsKey: (raw.security ?? []).length > 0,
    raw,
  };
}

/** What the operation documents for a status, directly or by a range; undefined if nothing. */
export function answerOf(operation: Operation, status: number): DocumentedAnswer | undefined {
  return operation.answers.get(String(status)) ?? operation.answers.get(`${Math.floor(status / 100)}XX`);
}
