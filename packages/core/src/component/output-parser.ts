import { z } from 'zod';
import type { SlicedWork } from '../base/meter.ts';
import { withNumberBounds } from '../expression/json/schema-numbers.ts';
import type { Json, JsonObject } from '../json.ts';
import { textParts } from './answer/balanced-parts.ts';
import { type FencedBlock, fencedBlocks } from './answer/fenced-blocks.ts';
import { JsonSearch, type ParserPorts, unfit } from './answer/json-search.ts';
import { listIn } from './answer/list-answer.ts';
import { namesReasoning, withoutReasoning } from './answer/reasoning.ts';
import type { Captured } from './component.ts';
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
      return yield* listIn(answer, ports);
    case 'regex': {
      const found = ports.capture(config.pattern ?? '', answer);
      if (found === null) throw unfit('nothing in it matches the pattern');
      return captured(found);
    }
  }
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

/** Named groups as an object, several groups as a list, one group as text; without groups the whole match. */
function captured({ match, groups, named }: Captured): Json {
  if (Object.keys(named).length > 0) return named;
  const [only = match] = groups;
  return groups.length > 1 ? groups : only;
}
