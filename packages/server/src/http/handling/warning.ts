import type { FastifyReply } from 'fastify';

const name = 'millrace-warning';

/** Adds to the warnings of an answer. A header holds visible ASCII only, so all else is written as JSON escapes it. */
export function addWarning(reply: FastifyReply, text: string): void {
  const safe = text.replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const earlier = reply.getHeader(name);
  reply.header(name, earlier === undefined ? safe : `${String(earlier)}; ${safe}`);
}
