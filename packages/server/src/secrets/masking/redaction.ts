import { finishedText, type Meter, type OutboundResponse, type SlicedWork, StepError } from '@millrace/core';
import { SecretSearch } from './secret-search.ts';

/**
 * The result of a request, without the secrets that were sent with it: providers repeat keys in their errors, and some
 * repeat everything that they received. Answers and errors are stored and shown.
 * @throws the error of the request
 */
export async function withoutSecrets<Answer extends OutboundResponse>(
  sent: Promise<Answer>,
  secrets: readonly string[],
  search = new SecretSearch(secrets),
): Promise<Answer> {
  const redact = (text: string): string => search.redact(text);
  try {
    const answer = await sent;
    const { url, headers, cookies, body } = answer;
    return {
      ...answer,
      url: redact(url),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [redact(name), redact(value)])),
      ...(cookies !== undefined && { cookies: cookies.map(redact) }),
      body: {
        size: body.size,
        text: (meter) => redactedText(body, search, meter),
        base64: (meter) => redactedFile(body, secrets, meter),
      },
    };
  } catch (error) {
    throw error instanceof StepError ? new StepError(error.code, redact(error.message), error) : error;
  }
}

type Body = OutboundResponse['body'];

function* redactedText(body: Body, search: SecretSearch, meter: Meter | undefined): SlicedWork<string> {
  const text = yield* finishedText(body.text(meter));
  return yield* search.redaction(text, meter);
}

/**
 * A file is unchanged, byte by byte, except for what is removed. Each conversion of 10 MiB takes at most 20 ms.
 */
function* redactedFile(body: Body, secrets: readonly string[], meter: Meter | undefined): SlicedWork<string> {
  const search = new SecretSearch(secrets, (text) => Buffer.from(text).toString('latin1'));
  const base64 = yield* finishedText(body.base64(meter));
  const bytes = Buffer.from(base64, 'base64').toString('latin1');
  yield;
  const rest = yield* search.redaction(bytes, meter);
  return rest === bytes ? base64 : Buffer.from(rest, 'latin1').toString('base64');
}
