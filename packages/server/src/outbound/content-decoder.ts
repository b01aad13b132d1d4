import { type Duplex, type Readable, Transform, type TransformCallback } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { StepError } from '@millrace/core';

/** Decodes with a decoder that it opens at the first byte: servers name encodings also for answers without a body. */
class Decoder extends Transform {
  readonly #opened: (start: Buffer) => Duplex;
  #inner: Duplex | null = null;

  constructor(opened: (start: Buffer) => Duplex) {
    super();
    this.#opened = opened;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#inner ??= this.#open(chunk);
    if (this.#inner.write(chunk)) done();
    else this.#inner.once('drain', done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#inner === null) done();
    else this.#inner.once('end', () => done()).end();
  }

  /** Continues when the reader wants more, so that a small body that decodes to much is not held. */
  override _read(size: number): void {
    this.#inner?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }

  #open(start: Buffer): Duplex {
    const inner = this.#opened(start);
    inner.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) inner.pause();
    });
    inner.on('error', (error) => this.destroy(error));
    return inner;
  }
}

/** With the zlib header or, as some servers send it, without. RFC 1950: the low four bits of the first byte are 8. */
function inflate(start: Buffer): Duplex {
  return ((start[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

const decoders: ReadonlyMap<string, (start: Buffer) => Duplex> = new Map<string, (start: Buffer) => Duplex>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', inflate],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
]);

/** Servers send these although the body has no encoding. */
const noEncodings: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8', 'utf8', 'binary', 'aws-chunked']);

/** Servers use one, seldom two. */
const maxEncodings = 3;

/**
 * The bytes of an answer without its `Content-Encoding`, which lists the encodings in the order in which they were applied.
 * @throws StepError http_connection for an unknown encoding; the stream fails with it for invalid data
 */
export function decoded(stream: Readable, contentEncoding: string | undefined): Readable {
  const names = (contentEncoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  const applied = names.filter((name) => !noEncodings.has(name));
  if (applied.length > maxEncodings) throw unsupported(contentEncoding ?? '');
  return applied.reduceRight<Readable>((source, name) => {
    const opened = decoders.get(name);
    if (opened === undefined) throw unsupported(name);
    const decoder = new Decoder(opened);
    // A pipe does not forward errors, and an unhandled one would end the process.
    source.once('error', (error) => decoder.destroy(error));
    const target = source.pipe(decoder);
    target.once('error', () => stream.destroy());
    return target;
  }, stream);
}

/** Whether an error says that data does not have the encoding that its header names. */
export function isDecodingError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:Z_|ZSTD_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/i.test(code);
}

/** The longest header that an error quotes. */
const shownLength = 100;

function unsupported(encoding: string): StepError {
  const shown = encoding.slice(0, shownLength);
  const message = `The response has the encoding '${shown}', which is not supported: remove 'Accept-Encoding' from 'headers'.`;
  return new StepError('http_connection', message);
}
