import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from '../support/api.ts';
import { answerOf, type OpenapiDocument, type Operation, type Schema } from '../support/openapi.ts';

/** The parts of a request that are needed to check its response. */
export interface Sent {
  readonly operation: Operation;
  readonly auth: 'own key' | 'wrong key' | 'no key';
  readonly body: unknown;
  readonly query: Readonly<Record<string, string>>;
  /**
   * The response to the same request for a missing workflow, if its workflow belongs to another user who never shared
   * it.
   */
  readonly ofMissing: Pick<Answer, 'status' | 'text'> | null;
}

/** Checks responses by the OpenAPI document alone. */
export class Checks {
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<Schema, ValidateFunction>();
  readonly #schemas: Readonly<Record<string, Schema>>;

  constructor(document: OpenapiDocument) {
    // Not strict: the document's own keywords (`example`, formats) are allowed.
    this.#ajv = new Ajv2020({ strict: false, allErrors: false });
    addFormats.default(this.#ajv);
    this.#schemas = document.components.schemas;
  }

  /** What is wrong with a response; null if nothing is. */
  issueOf(sent: Sent, answer: Answer): string | null {
    const { operation } = sent;
    const documented = answerOf(operation, answer.status);
    if (answer.status >= 500 && !operation.answers.has('5XX')) return 'the service failed';
    if (documented === undefined) return `status ${answer.status} is not documented`;
    return (
      this.#violationOfBody(documented.schema, answer) ??
      violationOfHeaders(answer) ??
      violationOfTexts(answer) ??
      violationOfGuard(sent, answer) ??
      this.#violationOfTrust(sent, answer)
    );
  }

  /** Whether the document allows this body. */
  allows(operation: Operation, body: unknown): boolean {
    if (operation.body === null) return true;
    if (body === undefined) return !operation.body.isRequired;
    return this.#check(operation.body.schema, body) === null;
  }

  #violationOfBody(schema: Schema | null, { status, text, headers }: Answer): string | null {
    if (schema === null) return text === '' ? null : `status ${status} has a body`;
    if (!String(headers['content-type']).startsWith('application/json')) {
      // The workflow of a webhook chooses the content type.
      return Object.keys(schema).length === 0 || 'anyOf' in schema ? null : 'the body is not JSON';
    }
    const violation = this.#check(schema, JSON.parse(text));
    return violation === null ? null : `the body violates its schema: ${violation}`;
  }

  #check(schema: Schema, value: unknown): string | null {
    const validate = this.#compiled.get(schema) ?? this.#compile(schema);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors);
  }

  #compile(schema: Schema): ValidateFunction {
    const validate = this.#ajv.compile({ ...schema, components: { schemas: this.#schemas } });
    this.#compiled.set(schema, validate);
    return validate;
  }

  /** Requests that the document forbids must not be accepted. */
  #violationOfTrust({ operation, body, query }: Sent, { status }: Answer): string | null {
    if (status >= 300) return null;
    if (!this.allows(operation, body)) return 'a body was accepted that its schema forbids';
    const broken = operation.parameters.find(
      ({ name, schema }) => query[name] !== undefined && schema.type === 'integer' && !isWithin(schema, query[name]),
    );
    return broken === undefined ? null : `?${broken.name} was accepted although its schema forbids it`;
  }
}

function isWithin({ minimum, maximum }: Schema, text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= Number(minimum ?? 0) && Number(text) <= Number(maximum ?? 2 ** 53);
}

function violationOfHeaders({ status, headers }: Answer): string | null {
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') return '401 without WWW-Authenticate';
  if (status === 429 && headers['retry-after'] === undefined) return '429 without Retry-After';
  return headers['x-content-type-options'] === 'nosniff' ? null : 'a browser may guess its type';
}

/** Messages of the validation libraries, which mean nothing to callers. */
const foreignErrorText =
  /Invalid (input|option|string|value|key|discriminator)|Too (big|small)|expected \w+, received|Unrecognized key|\[object /;

/** Messages must be understandable, besides the type and path. */
function violationOfTexts({ status, text }: Answer): string | null {
  const [words] = (status === 422 && foreignErrorText.exec(text)) || [];
  return words === undefined ? null : `the message is from a library: ${words}`;
}

/** Without a key there is no other answer than 401, and workflows of other users look like missing ones. */
function violationOfGuard({ operation, auth, ofMissing }: Sent, { status, text }: Answer): string | null {
  if (operation.needsKey && auth !== 'own key') return status === 401 ? null : `${auth}, but ${status}`;
  const isAsMissing = ofMissing === null || (ofMissing.status === status && ofMissing.text === text);
  return isAsMissing ? null : "another user's workflow is not answered like a missing one";
}
