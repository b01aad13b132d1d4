import type { FastifyReply } from 'fastify';

const name = 'millrace-warning';

/**
 * Adds a warning to the response. A header may contain only visible ASCII, so other characters are escaped as in JSON.
 */
export function addWarning(reply: FastifyReply, text: string): void {
  const safe = text.replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const earlier = reply.getHeader(name);
  reply.header(name, earlier === undefined ? safe : `${String(earlier)}; ${safe}`);
}
