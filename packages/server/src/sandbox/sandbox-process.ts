import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { exceededLimit, type Instant, type JsonLimits } from '@millrace/core';
import { z } from 'zod';
import type { CancelTimer, Timers } from '../ground/clock.ts';
import type { CodeLimits, Launch } from './launch.ts';
import { MemoryGauge } from './memory-gauge.ts';

/** Time and randomness for one script. A real script has those of the machine. */
export interface ScriptWorld {
  /** The fixed time. */
  readonly now: Instant;
  /** The seed of `Math.random`: 32 bits. */
  readonly seed: number;
}

/** A request to a script's process. */
export interface ScriptRequest {
  readonly language: string;
  readonly source: string;
  /** The values in scope, as pieces of JSON, which is parsed inside the sandbox only. */
  readonly scope: readonly string[];
  /** If omitted, the machine's time and randomness. */
  readonly world?: ScriptWorld | undefined;
}

/** How a script ended. The process is not trusted: every other answer is rejected. */
const answer = z.strictObject({
  kind: z.enum(['value', 'syntax', 'error', 'output', 'timeout', 'memory']),
  text: z.string().max(2_000_000).default(''),
  lines: z.array(z.string().max(2000)).max(200).default([]),
  /** Whether the process must not be used again. */
  isSpent: z.boolean().default(false),
});

/** A line of a script's console, sent while it runs. */
const consoleMessage = z.strictObject({ consoleLine: z.string().max(2000) });

/** Accepted lines of one script: as many as an answer may have. */
const maxLines = 200;

/** The result of a script: the answer of its process, or how the process ended without one. */
export interface ScriptAnswer {
  readonly kind: z.infer<typeof answer>['kind'] | 'died' | 'stopped' | 'garbled';
  readonly text: string;
  readonly lines: readonly string[];
}

/** Maximum characters of an answer's line: its parts at their largest, each character escaped. */
const maxAnswerLength = 8_000_000;
/** Milliseconds between checks of a script's memory: it can allocate some tens of megabytes in between. */
const gaugeMs = 20;
/** Milliseconds within which to start: a hundred times the duration on an idle machine. */
const startMs = 15_000;
/** Megabytes that its process may need in addition to the script's own: strings in transit, the type stripper. */
const overheadMb = 24;
/** Maximum characters of a process's error output. */
const lastOutputLength = 1000;

/** One process with a warm sandbox inside. It runs one script at a time; any failure in it ends it. */
export class SandboxProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #limits: CodeLimits;
  readonly #timers: Timers;
  #pieces: string[] = [];
  #length = 0;
  #lastOutput = '';
  /** The console lines of the running script, in case its process ends without an answer. */
  #lines: string[] = [];
  #isOver = false;
  #gauge: MemoryGauge | null = null;
  #settle: ((answer: ScriptAnswer) => void) | null = null;
  /** Resolves when it can run scripts; false if it cannot start. */
  readonly ready: Promise<boolean>;
  readonly #cancelStart: CancelTimer;
  #becomeReady: (isReady: boolean) => void = () => undefined;

  constructor({ command: [program = '', ...args] }: Launch, limits: CodeLimits, timers: Timers) {
    this.#limits = limits;
    this.#timers = timers;
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
    // No environment, and a working directory in which no relative path leads to a file.
    this.#child = spawn(program, args, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk));
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#lastOutput = `${this.#lastOutput}${chunk}`.slice(0, lastOutputLength);
    });
    // Ignores a process that dies while it is written to: its end is handled separately.
    this.#child.stdin.on('error', () => undefined);
    this.#cancelStart = timers.after(startMs, () => this.#end('it did not start in time'));
    this.#child.on('error', (error) => this.#end(error.message));
    this.#child.on('close', () => this.#end(''));
  }

  /** Whether it can never run a script again. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Its error output when it died; for the log. */
  get lastOutput(): string {
    return this.#lastOutput;
  }

  /** Runs a script. Any result other than a value, a source error or a script error ends the process. */
  async run(request: ScriptRequest, signal: AbortSignal): Promise<ScriptAnswer> {
    const abort = (): void => this.#stop('stopped');
    const { seconds, memoryMb } = this.#limits;
    const cancels = [this.#timers.after(seconds * 1000, () => this.#stop('timeout')), this.#watchMemory(memoryMb)];
    signal.addEventListener('abort', abort);
    this.#lines = [];
    try {
      return await new Promise((resolve) => {
        this.#settle = resolve;
        if (this.#isOver || signal.aborted) abort();
        else this.#send(request);
      });
    } finally {
      signal.removeEventListener('abort', abort);
      for (const cancel of cancels) cancel();
    }
  }

  kill(): void {
    this.#end('');
  }

  /** Two lines: the values in scope are not written as JSON again, which would take as long as the first time. */
  #send({ scope, ...rest }: ScriptRequest): void {
    const { stdin } = this.#child;
    for (const piece of [`${JSON.stringify(rest)}\n`, ...scope, '\n']) stdin.write(piece);
  }

  #watchMemory(memoryMb: number): CancelTimer {
    let cancel: CancelTimer = () => undefined;
    const look = (): void => {
      if ((this.#gauge?.growthMb() ?? 0) > memoryMb + overheadMb) this.#stop('memory');
      else cancel = this.#timers.after(gaugeMs, look);
    };
    look();
    return () => cancel();
  }

  #receive(chunk: string): void {
    const ends = chunk.split('\n');
    const begun = ends.pop() ?? '';
    for (const end of ends) {
      const line = [...this.#pieces, end].join('');
      this.#pieces = [];
      this.#length = 0;
      if (line === 'ready' && this.#gauge === null) this.#greet();
      else this.#take(line);
    }
    this.#length += begun.length;
    if (this.#length > maxAnswerLength) this.#stop('garbled');
    else if (begun !== '') this.#pieces.push(begun);
  }

  #greet(): void {
    this.#gauge = new MemoryGauge(this.#child.pid ?? 0);
    this.#cancelStart();
    this.#becomeReady(true);
  }

  #take(line: string): void {
    const words = parsed(line);
    const parsedLine = consoleMessage.safeParse(words);
    if (parsedLine.success && this.#settle !== null && this.#lines.length < maxLines) {
      this.#lines.push(parsedLine.data.consoleLine);
      return;
    }
    const received = answer.safeParse(words);
    if (!received.success) this.#stop('garbled');
    else if (received.data.kind === 'timeout' || received.data.kind === 'memory') this.#stop(received.data.kind);
    else this.#answer(received.data);
  }

  #answer({ kind, text, lines, isSpent }: z.infer<typeof answer>): void {
    const settle = this.#settle;
    this.#settle = null;
    // Output without a request comes from code that has taken over the process.
    if (isSpent || settle === null) this.kill();
    settle?.({ kind, text, lines });
  }

  /** Ends the process and settles its request. */
  #stop(kind: ScriptAnswer['kind']): void {
    const settle = this.#settle;
    this.#settle = null;
    this.kill();
    settle?.({ kind, text: '', lines: this.#lines });
  }

  #end(words: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#lastOutput ||= words;
    this.#child.kill('SIGKILL');
    this.#cancelStart();
    this.#becomeReady(false);
    this.#settle?.({ kind: 'died', text: '', lines: this.#lines });
    this.#settle = null;
  }
}

/** A message of the process has a few fields and at most `maxLines` lines. Anything else takes long to parse. */
const messageLimits: JsonLimits = {
  depth: 2,
  values: 2 * maxLines,
  containers: 2,
  names: 10,
  stringLength: Number.POSITIVE_INFINITY,
};

function parsed(line: string): unknown {
  if (exceededLimit(line, messageLimits) !== null) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
