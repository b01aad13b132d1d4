import { z } from 'zod';
import type { SlicedWork } from '../base/meter.ts';
import { ownText } from '../base/texts/own-text.ts';
import { StepError } from '../errors.ts';
import { receivedJson } from '../expression/json/received-json.ts';
import { withNumberBounds } from '../expression/json/schema-numbers.ts';
import { isArray, type Json, type JsonObject } from '../json.ts';
import { type BalancedPart, textParts } from './answer/balanced-parts.ts';
import { type FencedBlock, fencedBlocks } from './answer/fenced-blocks.ts';
import { bullet, listedText } from './answer/listed-text.ts';
import { namesReasoning, withoutReasoning } from './answer/reasoning.ts';
import type { Captured, StepContext } from './component.ts';
import { ui } from './ui-hint.ts';

/** How the text of a model is converted to a value. */
export const outputParserConfig = z
  .strictObject({
    parser: z
      .enum(['json', 'list', 'regex'])
      .describe('How to read the answer.')
      .meta({ default: 'json', examples: ['list'] })
      .optional(),
    schema: z
      .record(z.string(), z.json())
      .describe('The JSON Schema (2020-12) that the value must match, for `json`. Default: any JSON.')
      .meta({
        ...ui({ widget: 'json', when: { parser: ['json'] } }),
        examples: [{ type: 'object', required: ['city'] }],
      })
      .optional(),
    pattern: z
      .string()
      .min(1)
      .describe('The regular expression that finds the value in the answer; required for `regex`.')
      .meta({ ...ui({ widget: 'pattern', when: { parser: ['regex'] } }), examples: ['Total: (\\d+)'] })
      .optional(),
  })
  .superRefine(({ parser = 'json', schema, pattern }, ctx) => {
    const reject = (key: string, message: string) => ctx.addIssue({ code: 'custom', path: [key], message });
    if (parser === 'regex' && pattern === undefined) reject('pattern', 'A regex parser needs a pattern');
    if (parser !== 'regex' && pattern !== undefined) reject('pattern', `A ${parser} parser takes no pattern`);
    if (parser !== 'json' && schema !== undefined) reject('schema', `A ${parser} parser takes no schema`);
  });
export type OutputParserConfig = z.infer<typeof outputParserConfig>;

/** The instruction to a model so that its answer can be parsed; empty if only the author knows the format. */
export function parserInstruction({ parser = 'json', schema }: OutputParserConfig): string {
  if (parser === 'list') return 'Answer with a list only: one item per line, without any text around it.';
  if (parser === 'regex') return '';
  const form =
    schema === undefined
      ? ''
      : ` It must match this JSON Schema: ${JSON.stringify(withNumberBounds(schema as JsonObject))}`;
  return `Answer with JSON only, without any text around it.${form}`;
}

type ParserPorts = Pick<StepContext, 'capture' | 'schemaIssue' | 'meter'>;

/**
 * The value in a model's answer.
 * @throws StepError `model_output` if there is none; another answer may contain one
 */
export function* parseOutput(config: OutputParserConfig, text: string, ports: ParserPorts): SlicedWork<Json> {
  // Each parser searches the text a few times.
  ports.meter.spendOnText(8 * text.length);
  const answer = config.parser === 'regex' && namesReasoning(config.pattern ?? '') ? text : withoutReasoning(text);
  if (answer === '' && text.trim() !== '') throw unfit('it has no answer after its reasoning');
  yield;
  switch (config.parser ?? 'json') {
    case 'json':
      return yield* jsonIn(answer, config.schema as JsonObject | undefined, ports);
    case 'list':
      return yield* listIn(yield* listTextIn(answer), ports);
    case 'regex': {
      const found = ports.capture(config.pattern ?? '', answer);
      if (found === null) throw unfit('nothing in it matches the pattern');
      return captured(found);
    }
  }
}

function unfit(reason: string): StepError {
  return new StepError('model_output', `The model's answer cannot be parsed: ${reason}.`, { retryable: true });
}

/**
 * Models often put JSON into a fenced block, with a draft before it, or between sentences. The whole text counts first,
 * then fenced blocks, objects, and lists that are alone on their lines; of each kind, the last one that fits the schema.
 * What stands before JSON that was cut off, or before a block that is not the JSON it should be, can only be a draft.
 */
function* jsonIn(text: string, schema: JsonObject | undefined, ports: ParserPorts): SlicedWork<Json> {
  const search = new JsonSearch(schema, ports);
  const whole = yield* search.look(text);
  if (whole === 'fits') return search.found;
  if (whole === 'unfit') throw unfit(search.issue);
  const blocks = yield* fencedBlocks(text);
  const { balanced, unended } = yield* textParts(text);
  if (unended >= (blocks.at(-1)?.end ?? 0)) throw unfit(search.issueOr('its JSON has no end'));
  for (const block of blocks.toReversed()) {
    const looked = yield* search.look(block.text);
    if (looked === 'fits') return search.found;
    if (looked === 'no JSON' && block.isMeantAsJson) return yield* fromBrokenBlock(text, block, search);
  }
  if (yield* search.lookAtParts(balanced)) return search.found;
  throw unfit(search.issue);
}

/** The value in or after a block that is not JSON as a whole: it has a comment, or several values, or no closing fence. */
function* fromBrokenBlock(text: string, block: FencedBlock, search: JsonSearch): SlicedWork<Json> {
  const { balanced, unended } = yield* textParts(text.slice(block.start));
  if (unended === -1 && (yield* search.lookAtParts(balanced))) return search.found;
  throw unfit(search.issueOr(block.isClosed ? 'its last block is not valid JSON' : 'its JSON has no end'));
}

/** Whether a list looks like a number of a source, such as [1] or [2, 3], which stands below an answer. */
function isReference(list: string): boolean {
  return /^\[\s*\d{1,3}(?:,\s*\d{1,3}){0,9}\s*\]$/.test(list);
}

/** What a candidate costs besides its characters: to find out that a text is not JSON takes some 10 µs. */
const stepsPerCandidate = 100;

/** A search for JSON that fits a schema. */
class JsonSearch {
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

/** The text of the list: the last block, else the text without the sentences around the list. */
function* listTextIn(answer: string): SlicedWork<string> {
  const blocks = yield* fencedBlocks(answer);
  const last = blocks.at(-1);
  if (last === undefined) return listedText(answer);
  if (!last.isClosed && blocks.length > 1) throw unfit('its last block has no end');
  return last.text;
}

/** A JSON list, else lines without their bullets and numbers, else parts separated by commas. */
function* listIn(text: string, ports: ParserPorts): SlicedWork<Json> {
  const received = text.trimStart().startsWith('[') ? yield* receivedJson(text, { meter: ports.meter }) : null;
  if (received?.kind === 'exceeded') throw unfit(`it ${received.excess}`);
  if (received?.kind === 'value' && isArray(received.value)) return received.value;
  if (/^\s*\[\s*["{[]/.test(text)) throw unfit('its list is not valid JSON');
  const lines = yield* itemsOf(text.split('\n'), withoutBullet, ports);
  const [only] = lines;
  const isOneLine = lines.length === 1 && only !== undefined;
  const found = isOneLine ? yield* itemsOf(only.split(','), (item) => item.trim(), ports) : lines;
  if (found.length === 0) throw unfit('it contains no list');
  return found;
}

/** Parts read before the next pause: they take less than a millisecond. */
const partsPerPause = 1000;
/** Reading one part takes as long as some steps. */
const stepsPerPart = 4;

/** The parts that are not empty once they have been read. */
function* itemsOf(
  parts: readonly string[],
  read: (part: string) => string,
  { meter }: ParserPorts,
): SlicedWork<readonly string[]> {
  const items: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (index % partsPerPause === 0) {
      meter.spend(Math.min(partsPerPause, parts.length - index) * stepsPerPart);
      yield;
    }
    const item = read(part);
    if (item !== '') items.push(ownText(item));
  }
  return items;
}

function withoutBullet(line: string): string {
  return line.trim().replace(bullet, '');
}

/** Named groups as an object, several groups as a list, one group as text; without groups the whole match. */
function captured({ match, groups, named }: Captured): Json {
  if (Object.keys(named).length > 0) return named;
  const [only = match] = groups;
  return groups.length > 1 ? groups : only;
}
