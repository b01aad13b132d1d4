import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { type Case, cases, prepare, untilIdle } from './cases.ts';
import { type Running, startBare, startMillrace } from './servers.ts';

/** Seconds of load per measurement, and measurements per case: the median of three tolerates a busy machine. */
const seconds = Number(process.argv[2] ?? 4);
const rounds = 3;

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Requests per second of CPU time of the server. */
  readonly perCpuSecond: number;
}

/** CPU seconds that a process has used, from the kernel; NaN without /proc. */
function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // utime and stime, in ticks of 10 ms on every Linux that Node supports.
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

async function measure(server: Running, request: autocannon.Request[], connections: number): Promise<Measured> {
  const before = cpuSeconds(server.pid);
  const result = await autocannon({ url: server.url, connections, duration: seconds, requests: request });
  const cpu = cpuSeconds(server.pid) - before;
  const good = result['2xx'];
  if (good === 0 || result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${good} successful responses, ${result.non2xx} others, ${result.errors} errors`);
  }
  return {
    perSecond: good / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    perCpuSecond: good / cpu,
  };
}

/** The median by requests per second. */
function median(all: Measured[]): Measured {
  const sorted = all.sort((a, b) => a.perSecond - b.perSecond);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}

async function compare(entry: Case, millrace: Running, bare: Running): Promise<void> {
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await measure(bare, entry.bare(), entry.connections));
    ours.push(await measure(millrace, entry.millrace(), entry.connections));
    // Runs that are not yet performed would slow down the next measurement.
    await untilIdle(millrace);
  }
  const [a, b] = [median(ours), median(theirs)];
  const row = [
    entry.name,
    entry.connections,
    Math.round(a.perSecond),
    a.p50,
    a.p99,
    Math.round(b.perSecond),
    b.p50,
    b.p99,
  ];
  const ratios = [a.perSecond / b.perSecond, a.perCpuSecond / b.perCpuSecond].map((ratio) => ratio.toFixed(2));
  console.log(`| ${[...row, ...ratios].join(' | ')} |`);
}

const bare = await startBare();
const millrace = await startMillrace();
try {
  await prepare(millrace, bare);
  console.log(`Node ${process.version}, ${seconds} s per measurement, median of ${rounds}, both servers in one run\n`);
  console.log(
    '| work | connections | req/s | p50 ms | p99 ms | bare req/s | bare p50 | bare p99 | ratio | ratio per CPU second |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const entry of cases) await compare(entry, millrace, bare);
} finally {
  await millrace.stop();
  await bare.stop();
}
