import { formType, isJsonType, mediaType, multipartType } from '../base/media-type.ts';

/** The methods by which a webhook may be called. */
export const webhookMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type WebhookMethod = (typeof webhookMethods)[number];

/** What a sender must show: an API key, nothing, or the user name and password of a credential. */
export const webhookAuths = ['key', 'none', 'basic'] as const;
export type WebhookAuth = (typeof webhookAuths)[number];

/** The services that ask a new webhook to repeat a text before they use it. */
export const webhookChallenges = ['none', 'slack', 'meta'] as const;
export type WebhookChallenge = (typeof webhookChallenges)[number];

/** How a sender proves that it knows a webhook's secret. */
export const signatureSchemes = ['hmac_sha256', 'git_host_a', 'git_host_b', 'stripe', 'slack'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];

/** What the body of a webhook is read as, by its content type. */
export const bodyKinds = ['json', 'form', 'multipart', 'text', 'xml', 'file'] as const;
export type BodyKind = (typeof bodyKinds)[number];

/** A media type, or all types of one kind: `image/*`. */
export const mediaRange = /^[a-z0-9!#$&^_.+-]+\/(?:\*|[a-z0-9!#$&^_.+-]+)$/;

/** What a body of this content type is read as. One that names no type is JSON: that is what most senders mean. */
export function bodyKindOf(contentType: string | undefined): BodyKind {
  const type = mediaType(contentType);
  if (type === '' || isJsonType(type)) return 'json';
  if (type === formType) return 'form';
  if (type === multipartType) return 'multipart';
  if (/[/+]xml$/.test(type)) return 'xml';
  return type.startsWith('text/') ? 'text' : 'file';
}

/** Whether a body of this content type is one of those that a webhook accepts: kinds, media types and ranges of them. */
export function isAccepted(accepts: readonly string[] | null, contentType: string | undefined): boolean {
  if (accepts === null) return true;
  const type = mediaType(contentType);
  const [main] = type.split('/', 1);
  return [bodyKindOf(contentType), type, `${main}/*`].some((name) => accepts.includes(name));
}
