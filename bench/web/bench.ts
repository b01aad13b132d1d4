import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Stage } from '../../e2e/harness/stage.ts';
import { Calibration } from './calibration.ts';
import { addProbe } from './editor-probe.ts';
import { type Row, tableHead, tableRow } from './figures.ts';
import { dragging, panning, storm } from './gestures.ts';
import { leaks, opening } from './opening.ts';
import { prepare } from './prepare.ts';
import type { Measurement, Scene } from './scene.ts';
import { autoLayout, largeValue, textEdit, typing } from './values.ts';
import { weight } from './weight.ts';

/** The names of the measurements to run; none for all. `--once` takes one sample of each, valid or not. */
const { values: options, positionals: wanted } = parseArgs({
  options: { once: { type: 'boolean', default: false } },
  allowPositionals: true,
});

/** How often a sample is repeated if it is void. */
const maxRepeats = options.once ? 1 : 3;

const measurements: readonly Measurement[] = [
  weight,
  opening('g100', { ms: 1000 }),
  opening('g1000', { ms: 2500, elements: 4000, heapMb: 60 }),
  dragging,
  panning,
  storm,
  typing,
  largeValue,
  autoLayout,
  textEdit,
  leaks,
];

/** All rows of a measurement: a sample that is void is repeated, and used only if all of its repeats are void too. */
async function rowsOf(measurement: Measurement, scene: Scene, calibration: Calibration): Promise<readonly Row[]> {
  const rows = new Map<string, { row: Row; all: number[]; valid: number[]; voids: number }>();
  for (let round = 0; round < (options.once ? 1 : measurement.rounds); round += 1) {
    for (let repeat = 0; repeat < maxRepeats; repeat += 1) {
      const { value: figures, isVoid } = measurement.isExact
        ? { value: await measurement.measure(scene), isVoid: false }
        : await calibration.sample(() => measurement.measure(scene));
      for (const { value, ...figure } of figures) {
        const row = { ...figure, values: [], voids: 0 };
        const entry = rows.get(figure.row) ?? { row, all: [], valid: [], voids: 0 };
        rows.set(figure.row, entry);
        (isVoid ? entry.all : entry.valid).push(value);
        if (isVoid) entry.voids += 1;
      }
      if (!isVoid) break;
    }
  }
  return [...rows.values()].map(({ row, all, valid, voids }) => ({
    ...row,
    values: valid.length > 0 ? valid : all,
    voids,
  }));
}

const chosen = measurements.filter(({ name }) => wanted.length === 0 || wanted.some((one) => name.includes(one)));

const stage = await Stage.open(['--enable-precise-memory-info']);
try {
  const context = await stage.user();
  await addProbe(context);
  const slugs = await prepare(stage);
  const scene: Scene = { stage, context, slugs };
  const blank = await context.newPage();
  const calibration = await Calibration.start(blank);
  const [cpu] = cpus();
  console.log(`${stage.browser.version()}, Node ${process.version}, ${cpus().length} × ${cpu?.model}, no GPU`);
  console.log(`Fixed work: ${calibration.reference.toFixed(0)} ms\n`);
  // The first page of a browser is much slower than the others.
  await measurements[1]?.measure(scene);
  console.log(tableHead);
  for (const measurement of chosen) {
    for (const row of await rowsOf(measurement, scene, calibration)) console.log(tableRow(row));
  }
} finally {
  await stage.close();
}
