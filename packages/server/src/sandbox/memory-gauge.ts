import { readFileSync } from 'node:fs';

/** Bytes of a page: what Linux counts memory in on every machine that the sandbox has a binary for. */
const pageBytes = 4096;

/** Tells how much memory a process has taken since this was made. Without /proc it sees nothing, and says 0. */
export class MemoryGauge {
  readonly #file: string;
  readonly #atFirstMb: number;

  /** Of the process, or of its only child where it is a wrapper that waits for one. */
  constructor(pid: number) {
    const [child] = read(`/proc/${pid}/task/${pid}/children`).split(' ');
    this.#file = `/proc/${child || pid}/statm`;
    this.#atFirstMb = this.#residentMb();
  }

  growthMb(): number {
    return this.#residentMb() - this.#atFirstMb;
  }

  #residentMb(): number {
    return (Number(read(this.#file).split(' ')[1] ?? 0) * pageBytes) / 1_000_000;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
