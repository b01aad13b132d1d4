import { isObject, type Json } from '../json.ts';

/** A file as an author may write it. */
export type WrittenFile = {
  readonly name: string;
  /** A media type, e.g. `image/png`. */
  readonly content_type: string;
  readonly base64: string;
};

/** A file as a value: the form of files between nodes, in payloads and in responses. `size` is in bytes. */
type FileValue = WrittenFile & { readonly size: number };

/** A file with these bytes, named by the last part of a path. */
export function fileOf(file: { name: string; type: string; size: number; base64: string }): FileValue {
  const { name, type, size, base64 } = file;
  return { name: baseName(name), content_type: type || unknownType, size, base64 };
}

/** The media type of bytes of unknown type (RFC 2046). */
const unknownType = 'application/octet-stream';

const keys: ReadonlySet<string> = new Set(['name', 'content_type', 'size', 'base64']);

/** Whether a value is a file. The size may be omitted: it follows from the bytes. */
export function isFile(value: Json | undefined): value is WrittenFile {
  if (!isObject(value) || !Object.keys(value).every((key) => keys.has(key))) return false;
  const { name, content_type: type, base64 } = value;
  return typeof name === 'string' && typeof type === 'string' && typeof base64 === 'string';
}

/** Whether a text is padded base64 (RFC 4648). */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** The last part of a path: a file's name never contains a directory. */
function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) || 'file';
}
