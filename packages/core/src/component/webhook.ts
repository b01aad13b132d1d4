import { formType, isJsonType, mediaType, multipartType } from '../base/media-type.ts';

/** The allowed methods of a webhook. */
export const webhookMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type WebhookMethod = (typeof webhookMethods)[number];

/** How a sender authenticates: an API key, nothing, or the user name and password of a credential. */
export const webhookAuths = ['key', 'none', 'basic'] as const;
export type WebhookAuth = (typeof webhookAuths)[number];

/** The services that verify a new webhook by a text that it must return. */
export const webhookChallenges = ['none', 'slack', 'meta'] as const;
export type WebhookChallenge = (typeof webhookChallenges)[number];

/** How a sender proves that it has a webhook's secret. */
export const signatureSchemes = ['hmac_sha256', 'git_host_a', 'git_host_b', 'stripe', 'slack'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

/** The format of a webhook's body, by its content type. */
export const bodyKinds = ['json', 'form', 'multipart', 'text', 'xml', 'file'] as const;
export type BodyKind = (typeof bodyKinds)[number];

/** A media type, or all types of one kind: `image/*`. */
export const mediaRange = /^[a-z0-9!#$&^_.+-]+\/(?:\*|[a-z0-9!#$&^_.+-]+)$/;

/** The format of a body with this content type. Without a type it is JSON, as most senders intend. */
export function bodyKindOf(contentType: string | undefined): BodyKind {
  const type = mediaType(contentType);
  if (type === '' || isJsonType(type)) return 'json';
  if (type === formType) return 'form';
  if (type === multipartType) return 'multipart';
  if (/[/+]xml$/.test(type)) return 'xml';
  return type.startsWith('text/') ? 'text' : 'file';
}

/** Whether a webhook accepts a body of this content type, by its list of kinds, media types and ranges. */
export function isAccepted(accepts: readonly string[] | null, contentType: string | undefined): boolean {
  if (accepts === null) return true;
  const type = mediaType(contentType);
  const [main] = type.split('/', 1);
  return [bodyKindOf(contentType), type, `${main}/*`].some((name) => accepts.includes(name));
}
