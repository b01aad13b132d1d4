import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { StepError } from '@millrace/core';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { maxMessages } from './event-text.ts';
import { checkAnswer, isOwn, messagesIn, unusable } from './messages.ts';
import type { McpProgram } from './programs.ts';
import type { McpTarget } from './target.ts';

/** Bytes of a message of a program. */
const maxMessageBytes = 10 * 1024 * 1024;
/** Milliseconds that a program has to end by itself, and again after the signal that asks it to. */
const endMs = 2_000;
const newline = 10;

interface ProgramParts extends Pick<McpTarget, 'inSlices'> {
  readonly program: McpProgram;
}

/**
 * A program whose messages are the lines of its standard input and output. The library gets the answers and nothing else,
 * read and checked in slices, one after the other.
 */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why the program was ended, if it sent something that cannot be used. */
  failure: unknown;
  /** The library recognizes a program by these two. */
  readonly pid = null;
  readonly stderr = null;
  readonly #parts: ProgramParts;
  readonly #closed = new AbortController();
  #child: ChildProcess | null = null;
  /** The messages since the last request that are no answers. */
  #others = 0;

  constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  start(): Promise<void> {
    const { command, args, env } = this.#parts.program;
    const child = spawn(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child = child;
    const reading = this.#read(child.stdout).catch((error: StepError) => {
      this.failure ??= error;
      child.kill('SIGKILL');
    });
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.on('close', () => {
      this.#child = null;
      // The last answer comes before the end.
      void reading.then(() => this.onclose?.());
    });
    return new Promise((resolve, reject) => {
      child.on('spawn', resolve);
      child.on('error', reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === null || stdin === undefined) throw new Error('the program has ended');
    if ('id' in message) this.#others = 0;
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await new Promise((resolve) => stdin.once('drain', resolve));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const child = this.#child;
    if (child === null) return;
    child.stdin?.end();
    if (await endsInTime(child)) return;
    child.kill('SIGTERM');
    if (!(await endsInTime(child))) child.kill('SIGKILL');
  }

  async #read(output: Readable): Promise<void> {
    let parts: Buffer[] = [];
    let size = 0;
    // The program waits while its messages are read.
    for await (const bytes of output as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
        parts.push(bytes.subarray(from, end));
        from = end + 1;
        await this.#receive(Buffer.concat(parts).toString());
        [parts, size] = [[], 0];
      }
      parts.push(bytes.subarray(from));
      size += bytes.length - from;
      if (size > maxMessageBytes) throw unusable(`is longer than ${maxMessageBytes} bytes`);
    }
  }

  async #receive(line: string): Promise<void> {
    if (line.trim() === '') return;
    const messages = await this.#parts.inSlices((meter) => messagesIn(line, meter), this.#closed.signal);
    for (const message of messages ?? [null]) {
      if (isOwn(message) || message === null) {
        this.#others += 1;
        if (this.#others > maxMessages) throw unusable(`comes with more than ${maxMessages} other messages`);
        continue;
      }
      checkAnswer(message, line.length);
      this.onmessage?.(parseJSONRPCMessage(message));
    }
  }
}

function endsInTime(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), endMs).unref();
    child.once('close', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
