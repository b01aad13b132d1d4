import type { IncomingHttpHeaders } from 'node:http';
import { type SignatureScheme, signatureSchemes } from '@millrace/core';

/** Which header brings the signature of each scheme. */
const headerOf = {
  hmac_sha256: 'x-webhook-signature',
  git_host_a: 'x-hub-signature-256',
  git_host_b: 'x-gitlab-token',
} as const satisfies Record<SignatureScheme, string>;

/** Whether a request says that it is signed. */
export function isSigned(headers: IncomingHttpHeaders): boolean {
  return signatureSchemes.some((scheme) => headers[headerOf[scheme]] !== undefined);
}

/** The signature of a request and its scheme, as its header tells it; null without one. */
export function signatureOf(
  headers: IncomingHttpHeaders,
): { readonly scheme: SignatureScheme; readonly signature: string } | null {
  for (const scheme of signatureSchemes) {
    const signature = headers[headerOf[scheme]];
    if (typeof signature === 'string') return { scheme, signature };
  }
  return null;
}
