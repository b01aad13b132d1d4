import { isObject, type Json } from '../json.ts';

/** A file as an author may write it. */
export type WrittenFile = {
  readonly name: string;
  /** A media type, e.g. `image/png`. */
  readonly content_type: string;
  readonly base64: string;
};

/** A file as a value: how files travel between nodes, in payloads and in answers. `size` is in bytes. */
type FileValue = WrittenFile & { readonly size: number };

/** A file of these bytes, named by the last part of a path. */
export function fileOf(file: { name: string; type: string; size: number; base64: string }): FileValue {
  const { name, type, size, base64 } = file;
  return { name: baseName(name), content_type: type || unknownType, size, base64 };
}

/** The type of bytes of which nobody says what they are (RFC 2046). */
const unknownType = 'application/octet-stream';

const keys: ReadonlySet<string> = new Set(['name', 'content_type', 'size', 'base64']);

/** Whether a value is a file. Its author may leave the size out: the bytes tell it. */
export function isFile(value: Json | undefined): value is WrittenFile {
  if (!isObject(value) || !Object.keys(value).every((key) => keys.has(key))) return false;
  const { name, content_type: type, base64 } = value;
  return typeof name === 'string' && typeof type === 'string' && typeof base64 === 'string';
}

/** Whether a text is base64 as RFC 4648 has it, with its padding. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** The last part of a path: a file's name never says where it is. */
function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) || 'file';
}
