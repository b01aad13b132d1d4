import type { SlicedWork } from '../../base/meter.ts';
import { StepError } from '../../errors.ts';
import { receivedJson } from '../../expression/json/received-json.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { StepContext } from '../component.ts';
import type { BalancedPart } from './balanced-parts.ts';

/** What reading an answer needs of its step. */
export type ParserPorts = Pick<StepContext, 'capture' | 'schemaIssue' | 'meter'>;

/** The error of an answer that cannot be parsed. */
export function unfit(reason: string): StepError {
  return new StepError('model_output', `The model's answer cannot be parsed: ${reason}.`, { retryable: true });
}

/** Whether a list looks like a number of a source, such as [1] or [2, 3], which stands below an answer. */
function isReference(list: string): boolean {
  return /^\[\s*\d{1,3}(?:,\s*\d{1,3}){0,9}\s*\]$/.test(list);
}

/** What a candidate costs besides its characters: to find out that a text is not JSON takes some 10 µs. */
const stepsPerCandidate = 100;

/** A search for JSON that fits a schema. */
export class JsonSearch {
  readonly #schema: JsonObject | undefined;
  readonly #ports: ParserPorts;
  #mismatch: string | null = null;
  #excess: string | null = null;
  /** What fits. */
  found: Json = null;

  constructor(schema: JsonObject | undefined, ports: ParserPorts) {
    this.#schema = schema;
    this.#ports = ports;
  }

  /** Why nothing fits: the reason of the candidate that counts most. */
  get issue(): string {
    return this.issueOr('it contains no JSON');
  }

  issueOr(other: string): string {
    return this.#mismatch ?? this.#excess ?? other;
  }

  /** Whether an object fits, or a list that is alone on its lines. */
  *lookAtParts(parts: readonly BalancedPart[]): SlicedWork<boolean> {
    const lists: string[] = [];
    for (const part of parts) {
      if (part.kind === 'object' && (yield* this.look(part.text)) === 'fits') return true;
      // A list inside a sentence is a citation such as [1] more often than an answer.
      if (part.kind === 'list' && part.isAlone) lists.push(part.text);
    }
    for (const list of [...lists.filter((one) => !isReference(one)), ...lists.filter(isReference)]) {
      if ((yield* this.look(list)) === 'fits') return true;
    }
    return false;
  }

  *look(candidate: string): SlicedWork<'fits' | 'unfit' | 'no JSON'> {
    this.#ports.meter.spend(stepsPerCandidate);
    const received = yield* receivedJson(candidate, { meter: this.#ports.meter });
    // Text that is not JSON can exceed a limit too, and contain JSON that does not.
    if (received.kind === 'exceeded') this.#excess ??= `it ${received.excess}`;
    if (received.kind !== 'value') return 'no JSON';
    const issue = this.#schema === undefined ? null : this.#ports.schemaIssue(this.#schema, received.value);
    if (issue !== null) this.#mismatch ??= `it does not match the schema: ${issue}`;
    else this.found = received.value;
    return issue === null ? 'fits' : 'unfit';
  }
}
