/** Milliseconds of processor time that this thread has used. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Watches the event loop of this thread. Times are processor time of the thread, because a busy machine takes the
 * processor away from it for much longer than any limit here.
 */
export class LoopWatch {
  #last = threadMs();
  #timer: NodeJS.Timeout | null = null;
  #baseMemory = heapNow();
  #baseProcess = processNow();
  /** The longest that nothing else could happen. */
  longestMs = 0;
  /** The largest growth of the memory in use, in megabytes. */
  memoryGrowth = 0;
  /** The largest growth of the memory of the process (RSS), in megabytes. */
  processGrowth = 0;

  start(): void {
    this.#last = threadMs();
    this.#baseMemory = heapNow();
    this.longestMs = 0;
    this.#baseProcess = processNow();
    this.memoryGrowth = 0;
    this.processGrowth = 0;
    this.#next();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#look();
  }

  #next(): void {
    this.#timer = setTimeout(() => {
      this.#look();
      this.#next();
    }, 1);
  }

  #look(): void {
    const now = threadMs();
    this.longestMs = Math.max(this.longestMs, now - this.#last);
    this.#last = now;
    this.memoryGrowth = Math.max(this.memoryGrowth, heapNow() - this.#baseMemory);
    this.processGrowth = Math.max(this.processGrowth, processNow() - this.#baseProcess);
  }
}

const megabyte = 1_048_576;

function heapNow(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / megabyte;
}

function processNow(): number {
  return process.memoryUsage.rss() / megabyte;
}
