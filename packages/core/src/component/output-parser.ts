import { z } from 'zod';
import { isDeeperThan } from '../base/json-depth.ts';
import { StepError } from '../errors.ts';
import { isArray, type Json, type JsonObject } from '../json.ts';
import type { Captured, StepContext } from './component.ts';

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
      .meta({ examples: [{ type: 'object', required: ['city'] }] })
      .optional(),
    pattern: z
      .string()
      .min(1)
      .describe('The regular expression that finds the value in the answer; required for `regex`.')
      .meta({ examples: ['Total: (\\d+)'] })
      .optional(),
  })
  .superRefine(({ parser = 'json', schema, pattern }, ctx) => {
    const reject = (key: string, message: string) => ctx.addIssue({ code: 'custom', path: [key], message });
    if (parser === 'regex' && pattern === undefined) reject('pattern', 'A regex parser needs a pattern');
    if (parser !== 'regex' && pattern !== undefined) reject('pattern', `A ${parser} parser takes no pattern`);
    if (parser !== 'json' && schema !== undefined) reject('schema', `A ${parser} parser takes no schema`);
  });
export type OutputParserConfig = z.infer<typeof outputParserConfig>;

/** The depth limit of JSON sent to the service itself. */
const maxDepth = 64;

/** The instruction to a model so that its answer can be parsed; empty if only the author knows the format. */
export function parserInstruction({ parser = 'json', schema }: OutputParserConfig): string {
  if (parser === 'list') return 'Answer with a list only: one item per line, without any text around it.';
  if (parser === 'regex') return '';
  const form = schema === undefined ? '' : ` It must match this JSON Schema: ${JSON.stringify(schema)}`;
  return `Answer with JSON only, without any text around it.${form}`;
}

type ParserPorts = Pick<StepContext, 'capture' | 'schemaIssue'>;

/**
 * The value in a model's answer.
 * @throws StepError `model_output` if there is none; another answer may contain one
 */
export function parseOutput(config: OutputParserConfig, text: string, ports: ParserPorts): Json {
  switch (config.parser ?? 'json') {
    case 'json':
      return checked(jsonIn(text), config.schema as JsonObject | undefined, ports);
    case 'list':
      return listIn(text);
    case 'regex': {
      const found = ports.capture(config.pattern ?? '', text);
      if (found === null) throw unfit('nothing in it matches the pattern');
      return captured(found);
    }
  }
}

function unfit(reason: string): StepError {
  return new StepError('model_output', `The model's answer cannot be parsed: ${reason}.`, { retryable: true });
}

function checked(value: Json, schema: JsonObject | undefined, ports: ParserPorts): Json {
  const issue = schema === undefined ? null : ports.schemaIssue(schema, value);
  if (issue !== null) throw unfit(`it does not match the schema: ${issue}`);
  return value;
}

/** Models often put JSON into a fenced block, or a sentence before it. */
function jsonIn(text: string): Json {
  const block = /```[\w-]*[ \t]*\n([\s\S]*?)```/.exec(text)?.[1];
  const candidates = [text, block, between(text, '{', '}'), between(text, '[', ']')];
  for (const candidate of candidates) {
    const value = candidate === undefined ? undefined : parsed(candidate);
    if (value === undefined) continue;
    if (isDeeperThan(value, maxDepth)) throw unfit(`it is nested deeper than ${maxDepth} levels`);
    return value;
  }
  throw unfit('it contains no JSON');
}

function between(text: string, open: string, close: string): string | undefined {
  const [start, end] = [text.indexOf(open), text.lastIndexOf(close)];
  return start !== -1 && end > start ? text.slice(start, end + 1) : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A JSON list, else lines without their bullets and numbers, else parts separated by commas. */
function listIn(text: string): Json {
  const value = parsed(text);
  if (isArray(value)) {
    if (isDeeperThan(value, maxDepth)) throw unfit(`it is nested deeper than ${maxDepth} levels`);
    return value;
  }
  const lines = text.split('\n').map(withoutBullet).filter(Boolean);
  const [only] = lines;
  const items = lines.length === 1 && only !== undefined ? only.split(',').map((item) => item.trim()) : lines;
  const found = items.filter(Boolean);
  if (found.length === 0) throw unfit('it contains no list');
  return found;
}

function withoutBullet(line: string): string {
  return line.trim().replace(/^(?:[-*•]|\d{1,9}[.)])\s+/, '');
}

/** Named groups as an object, several groups as a list, one group as text; without groups the whole match. */
function captured({ match, groups, named }: Captured): Json {
  if (Object.keys(named).length > 0) return named;
  const [only = match] = groups;
  return groups.length > 1 ? groups : only;
}
