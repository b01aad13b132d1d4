import type { PartlyKnown, PayloadFault } from '@millrace/core';
import { type InputSchemas, keysOf, type WithInputSchema } from './input-schema.ts';

/**
 * What one check of a graph compiles of schemas and puts to them, in characters: ordinary schemas and payloads many times
 * over, and of hostile ones so few that the answer does not wait for them.
 */
const maxLength = { schemas: 32_768, payloads: 32_768 };

/** A payload costs something however short it is. */
const leastLength = 64;

/** References that are followed for each character of a payload: a schema of trees needs fewer than one. */
const referencesPerCharacter = 10;

/** Checks what nodes give to the workflows that they run. One is for one graph. */
export class PayloadChecks {
  readonly #inputSchemas: Pick<InputSchemas, 'faultIn'>;
  #schemasLeft = maxLength.schemas;
  #payloadsLeft = maxLength.payloads;

  constructor(inputSchemas: Pick<InputSchemas, 'faultIn'>) {
    this.#inputSchemas = inputSchemas;
  }

  /** The check of payloads for a workflow. One that comes after too many others finds nothing. */
  of(workflow: WithInputSchema): (payload: PartlyKnown) => PayloadFault | null {
    if (workflow.inputSchema === null || this.#schemasLeft <= 0) return () => null;
    this.#schemasLeft -= JSON.stringify(workflow.inputSchema).length;
    return this.#schemasLeft < 0 ? () => null : (payload) => this.#faultIn(workflow, payload);
  }

  #faultIn(workflow: WithInputSchema, payload: PartlyKnown): PayloadFault | null {
    // A payload that is nothing but one unknown value has no text at all.
    const length = Math.max(leastLength, JSON.stringify(payload)?.length ?? 0);
    this.#payloadsLeft -= length;
    if (this.#payloadsLeft < 0) return null;
    const issue = this.#inputSchemas.faultIn(workflow, payload, length * referencesPerCharacter);
    if (issue === null) return null;
    const { pointer, keyword, message } = issue;
    return { path: keysOf(pointer), isKey: keyword === 'additionalProperties', message };
  }
}
