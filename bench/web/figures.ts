/** A measured figure and its budget. */
export interface Figure {
  readonly row: string;
  readonly value: number;
  readonly unit: string;
  /** The maximum; null for a figure that only explains another. */
  readonly limit: number | null;
}

/** The samples of one row. */
export interface Row extends Omit<Figure, 'value'> {
  readonly values: readonly number[];
  /** How many samples were void. If all were, the figure is from them. */
  readonly voids: number;
}

/** The middle value; of two, the larger one. */
function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The smallest value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const tableHead = '| row | figure | limit | ok | samples |\n|---|---|---|---|---|';

export function tableRow({ row, values, unit, limit, voids }: Row): string {
  const value = median(values);
  const ok = limit === null ? '–' : value <= limit ? 'yes' : '**no**';
  const samples = voids === 0 ? String(values.length) : `${values.length}, ${voids} void`;
  return `| ${[row, `${shown(value)} ${unit}`, limit === null ? '–' : `${limit} ${unit}`, ok, samples].join(' | ')} |`;
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}
