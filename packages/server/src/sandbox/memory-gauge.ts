import { readFileSync } from 'node:fs';

/** Bytes of a page: Linux counts memory in these on every machine for which the sandbox has a binary. */
const pageBytes = 4096;

/** Measures how much more memory a process uses since this was created. Without /proc the result is 0. */
export class MemoryGauge {
  readonly #file: string;
  readonly #atFirstMb: number;

  /** Of the process, or of its only child if it is a wrapper that waits for one. */
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
