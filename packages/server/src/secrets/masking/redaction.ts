import { type OutboundResponse, StepError } from '@millrace/core';
import { SecretSearch } from './secret-search.ts';

/**
 * The result of a request, without the secrets that were sent with it: providers repeat keys in their errors, and some
 * repeat everything that they received. Answers and errors are stored and shown.
 * @throws the error of the request
 */
export async function withoutSecrets<Answer extends OutboundResponse>(
  sent: Promise<Answer>,
  secrets: readonly string[],
): Promise<Answer> {
  const search = new SecretSearch(secrets);
  const redact = (text: string): string => search.redact(text);
  try {
    const answer = await sent;
    const { url, headers, body } = answer;
    return {
      ...answer,
      url: redact(url),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [redact(name), redact(value)])),
      body: {
        size: body.size,
        text: () => redact(body.text()),
        base64: () => redactedFile(body.base64(), secrets),
      },
    };
  } catch (error) {
    throw error instanceof StepError ? new StepError(error.code, redact(error.message), error) : error;
  }
}

/** A file is unchanged, byte by byte, except for what is removed. */
function redactedFile(base64: string, secrets: readonly string[]): string {
  const search = new SecretSearch(secrets, (text) => Buffer.from(text).toString('latin1'));
  const bytes = Buffer.from(base64, 'base64').toString('latin1');
  const rest = search.redact(bytes);
  return rest === bytes ? base64 : Buffer.from(rest, 'latin1').toString('base64');
}
