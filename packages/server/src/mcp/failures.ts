import { StepError, textStart } from '@millrace/core';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

/** Characters of what a server says about an error. */
const maxReason = 1_000;

/** Statuses that may be another one at the next attempt. */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/** The connection has ended, for example because a program has. */
const closedCodes: ReadonlySet<string> = new Set([SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected]);

/** Errors of requests that mean that the server cannot be reached now. */
const unreachable: ReadonlySet<string> = new Set(['http_connection', 'http_busy']);

/** The error of a step for a failure of a connection. @param isOpening whether nothing has been called yet */
export function stepErrorOf(error: unknown, isOpening: boolean): unknown {
  if (error instanceof StepError) return unreachable.has(error.code) ? ofRequest(error, isOpening) : error;
  if (error instanceof Error && error.name === 'AbortError') return error;
  if (error instanceof SdkHttpError) return ofStatus(error, isOpening);
  if (error instanceof ProtocolError)
    return new StepError('mcp_error', `The MCP server answered with error ${error.code}: ${cut(error.message)}`);
  if (error instanceof SdkError && closedCodes.has(error.code))
    return new StepError('mcp_unavailable', 'The MCP server ended the connection before it answered.');
  if (error instanceof Error && 'syscall' in error)
    return new StepError(
      'mcp_unavailable',
      `The program of the MCP server cannot be started: ${String(Reflect.get(error, 'code'))}.`,
    );
  const reason = error instanceof Error ? error.message : String(error);
  return new StepError('mcp_error', `The answer of the MCP server does not follow the protocol: ${cut(reason)}`);
}

function ofRequest({ message, retryable, retryAfterMs }: StepError, notPerformed: boolean): StepError {
  const options = { retryable, notPerformed, retryAfterMs };
  return new StepError('mcp_unavailable', `The MCP server cannot be reached: ${message}`, options);
}

function ofStatus({ status, data: { text } }: SdkHttpError, isOpening: boolean): StepError {
  if (status === 404 && !isOpening) {
    const message =
      'The MCP server has ended its session, and what it kept for it may be lost. The next call begins another one.';
    return new StepError('mcp_unavailable', message);
  }
  const retryable = transientStatuses.has(status) || status >= 500;
  const hint = status === 401 || status === 403 ? " Set 'credential_id' to a credential that it accepts." : '';
  const reason = typeof text === 'string' && text.trim() !== '' ? `: ${cut(text.trim())}` : '';
  const message = `The MCP server answered with status ${status}${reason}.${hint}`;
  return new StepError('mcp_unavailable', message, { retryable, notPerformed: isOpening || status === 429 });
}

function cut(text: string): string {
  // Reports of invalid answers have many lines, and may be megabytes.
  return textStart(text.slice(0, 10 * maxReason).replaceAll(/\s+/g, ' '), maxReason);
}
