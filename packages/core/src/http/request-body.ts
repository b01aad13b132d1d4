import { isBase64, isFile, type WrittenFile } from '../base/file-value.ts';
import { formType, isJsonType, isMediaType, mediaType, multipartType } from '../base/media-type.ts';
import { jsonCharactersPerStep, type Meter, type SlicedWork } from '../base/meter.ts';
import { textOf } from '../base/resolved.ts';
import type { FileBytes, RequestBody } from '../component/component.ts';
import { StepError } from '../errors.ts';
import { writtenJson } from '../expression/json/json-pieces.ts';
import { jsonSize } from '../expression/json/json-size.ts';
import type { Json } from '../json.ts';
import { encodedFields, fieldsOf } from './url-query.ts';

/** The body to send and its content type; null for none. */
export interface EncodedBody {
  readonly body: RequestBody | null;
  readonly contentType: string | null;
}

interface BodyFormat {
  /** The content type that the request's author gave; undefined for none. */
  readonly contentType: string | undefined;
  /**
   * A text that does not occur in any part of a multipart body. It is the same for each attempt, so that all of them
   * send the same body.
   */
  readonly boundary: string;
  readonly meter?: Meter | undefined;
}

/**
 * The body of a request, encoded by its content type: an object as a form, as multipart or as JSON. Text is sent
 * unchanged, and a file as its bytes.
 * @throws StepError `config` for a value that the content type cannot represent
 */
export function* encodeBody(
  body: Json | undefined,
  { contentType, boundary, meter }: BodyFormat,
): SlicedWork<EncodedBody> {
  if (body === undefined || body === null) return { body: null, contentType: contentType ?? null };
  if (typeof body === 'string') return { body, contentType: contentType ?? 'text/plain; charset=utf-8' };
  const kind = mediaType(contentType);
  if (kind === formType || kind === multipartType) {
    meter?.spend(jsonSize(body, Number.POSITIVE_INFINITY) / jsonCharactersPerStep);
    yield;
  }
  if (kind === formType) return { body: encodedFields(body, 'body'), contentType: contentType ?? formType };
  if (kind === multipartType) {
    return { body: multipart(body, boundary), contentType: `${multipartType}; boundary=${boundary}` };
  }
  if (isFile(body) && !isJsonType(kind)) {
    return { body: [bytesOf(body, 'body')], contentType: contentType ?? partType(body, 'body') };
  }
  return { body: yield* writtenJson(body, meter), contentType: contentType ?? 'application/json' };
}

/** Fields and files (RFC 7578). */
function multipart(body: Json, boundary: string): RequestBody {
  const parts = fieldsOf(body, 'body').flatMap(([name, value]): (string | FileBytes)[] => {
    const field = `body.${name}`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
    if (isFile(value)) {
      const file = `; filename="${quoted(value.name)}"\r\nContent-Type: ${partType(value, field)}\r\n\r\n`;
      return [`${head}${file}`, bytesOf(value, field), '\r\n'];
    }
    const text = textOf(value);
    if (text !== null) return [`${head}\r\n\r\n${text}\r\n`];
    throw new StepError('config', `'${field}' must be text, a file, or a list of these.`);
  });
  return [...parts, `--${boundary}--\r\n`];
}

/** Names are encoded as browsers do, so that they cannot end the header. */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function partType({ content_type: type }: WrittenFile, field: string): string {
  if (isMediaType(type)) return type;
  throw new StepError('config', `'${field}.content_type' must be a media type, e.g. image/png.`);
}

function bytesOf({ base64 }: WrittenFile, field: string): FileBytes {
  if (isBase64(base64)) return { base64 };
  throw new StepError('config', `'${field}.base64' must be base64, with its padding and without line breaks.`);
}
