import {
  type Json,
  type JsonObject,
  type ModelAnswer,
  type ModelMessage,
  type ModelTool,
  type OutputParserConfig,
  parseOutput,
  type StepContext,
  StepError,
  textStart,
} from '@millrace/core';

/** A question whose answer must be an object of a schema. */
export interface ForcedQuestion {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** The model must call it; the arguments are the answer. */
  readonly tool: ModelTool;
  /** How often the model is asked, with the reason why its answer before was invalid. */
  readonly attempts: number;
}

/** Characters of an invalid answer in the log: enough to diagnose it. */
const maxStoredLength = 4096;

/**
 * The answer of a model as an object that satisfies the schema of the tool. A model that answers in text may write the
 * object there.
 * @throws StepError `model_output` if no answer does, `model_refused` if the model declines
 */
export async function forcedAnswer(question: ForcedQuestion, ctx: StepContext): Promise<JsonObject> {
  const { system, tool, attempts } = question;
  let { messages } = question;
  for (let attempt = 1; ; attempt += 1) {
    const tools = { list: [tool], choice: { name: tool.name }, isParallel: false };
    const answer = await ctx.model.ask({ system, messages, tools });
    if (answer.stop === 'refusal')
      throw new StepError('model_refused', 'The model declined to answer. Change the prompt, or use another model.');
    const found = await objectIn(answer, tool, ctx);
    if ('value' in found) return found.value;
    if (attempt >= attempts) throw unusable(found.issue, answer);
    messages = [...messages, ...corrections(answer, found.issue)];
  }
}

type Found = { readonly value: JsonObject } | { readonly issue: string };

async function objectIn(answer: ModelAnswer, tool: ModelTool, ctx: StepContext): Promise<Found> {
  const call = answer.calls?.find(({ tool: name }) => name === tool.name);
  if (call === undefined) return objectInText(answer.text, tool, ctx);
  const issue = call.problem ?? ctx.schemaIssue(tool.parameters, call.arguments);
  return issue === null ? { value: call.arguments } : { issue };
}

/** Some servers do not know tools, and some models write the arguments as text. */
async function objectInText(text: string, tool: ModelTool, ctx: StepContext): Promise<Found> {
  try {
    const value: Json = await ctx.inSlices(parseOutput(parserFor(tool), text, ctx));
    return { value: value as JsonObject };
  } catch (error) {
    if (!(error instanceof StepError) || error.code !== 'model_output') throw error;
    return { issue: `the function '${tool.name}' was not called` };
  }
}

/** Both are JSON; only their types have different names. */
function parserFor({ parameters }: ModelTool): OutputParserConfig {
  return { parser: 'json', schema: parameters as NonNullable<OutputParserConfig['schema']> };
}

/** The answer, and what is wrong with it. */
function corrections({ text, calls = [], raw }: ModelAnswer, issue: string): readonly ModelMessage[] {
  const words = `Invalid: ${issue}`;
  if (calls.length === 0) {
    const content = text.trim() === '' ? '(no answer)' : text;
    return [
      { role: 'assistant', content },
      { role: 'user', content: words },
    ];
  }
  const results = calls.map(({ id }): ModelMessage => ({ role: 'tool', id, content: words, isError: true }));
  return [{ role: 'assistant', content: text, calls, raw }, ...results];
}

function unusable(issue: string, { text, calls, stop }: ModelAnswer): StepError {
  const sent = text || JSON.stringify(calls?.[0]?.arguments ?? {});
  const metadata = { stop, answer: textStart(sent, maxStoredLength) };
  return new StepError('model_output', `The model gave no valid answer: ${issue}.`, { retryable: true, metadata });
}
