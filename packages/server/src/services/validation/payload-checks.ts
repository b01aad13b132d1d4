import type { PartlyKnown, PayloadIssue } from '@millrace/core';
import { type InputSchemas, keysOf, type WithInputSchema } from './input-schema.ts';

/**
 * Characters of schemas that one check of a graph compiles: those of ordinary workflows many times over, and of hostile ones
 * so few that the answer does not wait for them.
 */
const maxSchemas = 16_384;

/**
 * And what it puts to them: a payload may be asked by every word of its schema, so that both lengths count, multiplied.
 * Fifty payloads of 500 characters for a schema of 2,000 are this much.
 */
const maxWork = 50_000_000;

/** What a short one counts as: to compile any schema takes some milliseconds, to put it to a payload some hundredths. */
const leastLength = { schema: 1024, payload: 64 };

/** References that are followed for each character of a payload: a schema of trees needs fewer than one. */
const referencesPerCharacter = 10;

/** Checks what nodes give to the workflows that they run. One is for one graph. */
export class PayloadChecks {
  readonly #inputSchemas: Pick<InputSchemas, 'issueIn'>;
  #schemasLeft = maxSchemas;
  #workLeft = maxWork;

  constructor(inputSchemas: Pick<InputSchemas, 'issueIn'>) {
    this.#inputSchemas = inputSchemas;
  }

  /** The check of payloads for a workflow. One that comes after too many others finds nothing. */
  of(workflow: WithInputSchema): (payload: PartlyKnown) => PayloadIssue | null {
    if (workflow.inputSchema === null || this.#schemasLeft <= 0) return () => null;
    const length = Math.max(leastLength.schema, JSON.stringify(workflow.inputSchema).length);
    this.#schemasLeft -= length;
    return this.#schemasLeft < 0 ? () => null : (payload) => this.#issueIn(workflow, length, payload);
  }

  #issueIn(workflow: WithInputSchema, schemaLength: number, payload: PartlyKnown): PayloadIssue | null {
    // A payload that is nothing but one unknown value has no text at all.
    const length = Math.max(leastLength.payload, JSON.stringify(payload)?.length ?? 0);
    this.#workLeft -= length * schemaLength;
    if (this.#workLeft < 0) return null;
    const issue = this.#inputSchemas.issueIn(workflow, payload, length * referencesPerCharacter);
    if (issue === null) return null;
    const { pointer, keyword, message } = issue;
    return { path: keysOf(pointer), isKey: keyword === 'additionalProperties', message };
  }
}
