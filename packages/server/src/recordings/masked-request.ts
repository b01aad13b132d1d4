import { fullMask, type OutboundRequest } from '@millrace/core';

/** A request as recordings show it: with masks in place of the placeholders of secret variables. */
export function maskedRequest(
  { url, headers, body, ...rest }: OutboundRequest,
  variables: ReadonlyMap<string, string>,
): OutboundRequest {
  const masked = (text: string): string =>
    [...variables.keys()].reduce((all, placeholder) => all.replaceAll(placeholder, fullMask), text);
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [name, masked(value)]);
  const parts =
    typeof body === 'string' || body === null
      ? body
      : body.map((part) => (typeof part === 'string' ? masked(part) : part));
  const text = typeof parts === 'string' ? masked(parts) : parts;
  return { ...rest, url: masked(url), headers: Object.fromEntries(shown), body: text };
}
