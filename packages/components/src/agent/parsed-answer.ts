import { type Json, type OutputParserConfig, parseOutput, type StepContext, StepError } from '@millrace/core';

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
    return await ctx.inSlices(parseOutput(parser, text, ctx));
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const metadata = { stop, answer: text.slice(0, maxStoredLength).toWellFormed() };
    throw new StepError(error.code, error.message, { retryable: error.retryable, metadata });
  }
}
