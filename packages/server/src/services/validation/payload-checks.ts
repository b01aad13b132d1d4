import type { PartlyKnown, PayloadIssue } from '@millrace/core';
import { type InputSchemas, keysOf, type WithInputSchema } from './input-schema.ts';

/**
 * Characters of schemas that one check of a graph compiles: many times more than ordinary workflows have, and few
 * enough that hostile ones do not delay the response.
 */
const maxSchemas = 16_384;

/**
 * The limit for validating payloads: each keyword may read the whole payload, so it counts both lengths, multiplied. 50
 * payloads of 500 characters with a schema of 2,000 characters use all of it.
 */
const maxWork = 50_000_000;

/** The least that counts: compiling any schema takes some milliseconds, validating a payload some hundredths of one. */
const leastLength = { schema: 1024, payload: 64 };

/** Steps for each character of a payload and of its schema: ordinary schemas need less than one. */
const stepsPerCharacter = 5;

/** Checks the payloads that nodes send to the workflows that they call. One instance is for one graph. */
export class PayloadChecks {
  readonly #inputSchemas: Pick<InputSchemas, 'issueIn'>;
  #schemasLeft = maxSchemas;
  #workLeft = maxWork;

  constructor(inputSchemas: Pick<InputSchemas, 'issueIn'>) {
    this.#inputSchemas = inputSchemas;
  }

  /** The payload check for a workflow. Beyond the limits it finds nothing. */
  of(workflow: WithInputSchema): (payload: PartlyKnown) => PayloadIssue | null {
    if (workflow.inputSchema === null || this.#schemasLeft <= 0) return () => null;
    const length = Math.max(leastLength.schema, JSON.stringify(workflow.inputSchema).length);
    this.#schemasLeft -= length;
    return this.#schemasLeft < 0 ? () => null : (payload) => this.#issueIn(workflow, length, payload);
  }

  #issueIn(workflow: WithInputSchema, schemaLength: number, payload: PartlyKnown): PayloadIssue | null {
    // A payload that is one unknown value has no JSON text.
    const length = Math.max(leastLength.payload, JSON.stringify(payload)?.length ?? 0);
    this.#workLeft -= length * schemaLength;
    if (this.#workLeft < 0) return null;
    const issue = this.#inputSchemas.issueIn(workflow, payload, (length + schemaLength) * stepsPerCharacter);
    if (issue === null) return null;
    const { pointer, keyword, message } = issue;
    return { path: keysOf(pointer), isKey: keyword === 'additionalProperties', message };
  }
}
