export const formType = 'application/x-www-form-urlencoded';
export const multipartType = 'multipart/form-data';

/** A content type without its parameters, in lower case; empty for none. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Whether a media type is JSON or, as `application/problem+json`, based on it. */
export function isJsonType(type: string): boolean {
  return /[/+]json$/.test(type);
}
