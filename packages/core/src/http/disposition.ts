/** The file name of a `Content-Disposition` header (RFC 6266); null if it names none. `filename*` has priority. A name
 * with spaces should be in quotes, but often is not. */
export function dispositionName(header: string): string | null {
  const values = new Map<string, string>();
  for (const [, key, quoted, bare = ''] of header.matchAll(parameter)) {
    if (key === undefined) continue;
    const value = quoted?.replace(/\\(["\\])/g, '$1') ?? bare.trim();
    if (value !== '' && !values.has(key.toLowerCase())) values.set(key.toLowerCase(), value);
  }
  const [extended = ''] = values.get('filename*')?.split(/\s/, 1) ?? [];
  const name = values.get('filename');
  return extendedValue(extended) ?? (name === undefined ? null : utf8Of(name));
}

/** A file name, or a quoted text elsewhere, which can contain anything that looks like one. */
const parameter = /(?:^|[;\s])(filename\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))|"(?:[^"\\]|\\.)*"/gi;

/** A value with its charset (RFC 8187): `UTF-8''na%C3%AFve.txt`; null if it is not valid. */
function extendedValue(text: string): string | null {
  const [, charset = '', value = ''] = /^([^']*)'[^']*'(.*)$/.exec(text) ?? [];
  if (/^utf-8$/i.test(charset)) return percentDecoded(value);
  if (!/^iso-8859-1$/i.test(charset)) return null;
  return value.replace(/%([0-9a-f]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Headers have one character per byte, and most servers send UTF-8. */
function utf8Of(name: string): string {
  const isBytes = /^[\x20-\xff]*$/.test(name) && /[\x80-\xff]/.test(name);
  if (!isBytes) return name;
  const encoded = name.replace(/[%\x80-\xff]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return percentDecoded(encoded) ?? name;
}

function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
