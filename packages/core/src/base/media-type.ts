export const formType = 'application/x-www-form-urlencoded';
export const multipartType = 'multipart/form-data';

/** A content type without its parameters, in lower case; empty if there is none. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** A media type, with or without parameters, on one line. */
const written = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+(?:[\t ]*;[\t -~]*)?$/i;

/** Whether a text can stand in a `Content-Type` header. */
export function isMediaType(text: string): boolean {
  return written.test(text);
}

/** Whether a media type is a script, which a page of the same origin could run. */
export function isScriptType(type: string): boolean {
  return /(?:java|ecma|live|j)script/.test(mediaType(type));
}

/** Whether a media type is JSON or based on it, such as `application/problem+json`. */
export function isJsonType(type: string): boolean {
  return /[/+]json$/.test(type);
}
