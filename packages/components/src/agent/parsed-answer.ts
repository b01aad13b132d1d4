import {
  type Json,
  type OutputParserConfig,
  parseOutput,
  type StepContext,
  StepError,
  textStart,
} from '@millrace/core';

/** The maximum number of characters of an unreadable answer in the log: enough to diagnose it. */
const maxStoredLength = 4096;

type ParserContext = Pick<StepContext, 'inSlices' | 'meter' | 'matches' | 'capture' | 'schemaIssue'>;

/** The value that the parser reads from an answer; an answer that it cannot read is stored in the step's log entry. */
export async function parsedAnswer(
  parser: OutputParserConfig,
  { text, stop }: { readonly text: string; readonly stop: string },
  ctx: ParserContext,
): Promise<Json> {
  try {
    // Its last item may be a part, and items may be missing, which nothing in the text shows.
    if (parser.parser === 'list' && stop === 'length') throw cutOff();
    return await ctx.inSlices(parseOutput(parser, text, ctx));
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const metadata = { stop, answer: textStart(text, maxStoredLength) };
    throw new StepError(error.code, error.message, { retryable: error.retryable, metadata });
  }
}

function cutOff(): StepError {
  const message =
    "The model's answer cannot be parsed: its list was cut off at the maximum number of tokens. Raise 'max_tokens' of the model.";
  return new StepError('model_output', message, { retryable: true });
}
