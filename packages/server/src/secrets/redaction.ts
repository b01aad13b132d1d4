import type { OutboundResponse } from '@millrace/core';

/** Shorter texts stand in honest answers by chance. */
const leastLength = 8;
/** What stands in a secret's place. */
export const mask = '****';

/**
 * An answer without the secrets that were sent for it: providers repeat keys in their errors, and some repeat all that
 * they were sent. What becomes of an answer is stored and shown.
 */
export function withoutSecrets(response: OutboundResponse, secrets: readonly string[]): OutboundResponse {
  const forms = redactedForms(secrets);
  if (forms.length === 0) return response;
  const redact = (text: string): string => forms.reduce((rest, form) => rest.replaceAll(form, mask), text);
  const { url, headers, body } = response;
  return {
    ...response,
    url: redact(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)])),
    body: {
      size: body.size,
      text: () => redact(body.text()),
      base64: () => withoutForms(body.base64(), forms),
    },
  };
}

/** A file stays what it is, byte by byte, around what is taken out of it. */
function withoutForms(base64: string, forms: readonly string[]): string {
  const bytes = Buffer.from(base64, 'base64').toString('latin1');
  const rest = forms.reduce((left, form) => left.replaceAll(Buffer.from(form).toString('latin1'), mask), bytes);
  return rest === bytes ? base64 : Buffer.from(rest, 'latin1').toString('base64');
}

/** All that must not be seen of these secrets. */
export function redactedForms(secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => secret.length >= leastLength).flatMap(formsOf);
}

/** As it is, and as it stands in JSON, in a URL or a form, in a URL within a URL, and in base64, whole. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
  return [...new Set([secret, ...jsonForms(secret), ...urlForms(secret), ...base64])];
}

/** Some writers of JSON leave only ASCII as it is, and some escape slashes. */
function jsonForms(secret: string): readonly string[] {
  const plain = JSON.stringify(secret).slice(1, -1);
  const ascii = plain.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [plain, ascii].flatMap((text) => [text, text.replaceAll('/', '\\/')]);
}

/** Writers of URLs differ in what they leave as it is, and in the case of their digits. */
function urlForms(secret: string): readonly string[] {
  const component = encodeURIComponent(secret.toWellFormed());
  const strict = component.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  const once = [component, component.replaceAll("'", '%27'), strict, inForm];
  const lower = once.map((text) => text.replace(/%../g, (digits) => digits.toLowerCase()));
  return [...once, ...lower, ...once.map(encodeURIComponent)];
}
