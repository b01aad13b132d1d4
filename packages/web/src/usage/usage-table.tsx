import type { ReactNode } from 'react';
import { costText, type UsageOfDay } from './usage-days.ts';

const cell = 'px-4 py-2 align-middle max-sm:px-3';
const figure = `${cell} whitespace-nowrap text-right tabular-nums`;

type Figures = Omit<UsageOfDay, 'day'>;

interface UsageTableProps<Row extends Figures> {
  /** What the rows are, as the head of their first column. */
  readonly name: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => ReactNode;
}

/** Figures of usage, one row for each day or node. */
export function UsageTable<Row extends Figures>({ name, rows, keyOf, nameOf }: UsageTableProps<Row>) {
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface">
      <table className="w-full border-collapse text-left">
        <thead className="border-line border-b text-[12px] text-muted">
          <tr>
            <th className={`${cell} font-medium`}>{name}</th>
            <th className={`${figure} font-medium max-sm:hidden`}>Calls</th>
            <th className={`${figure} font-medium max-sm:hidden`}>Input tokens</th>
            <th className={`${figure} font-medium max-sm:hidden`}>Output tokens</th>
            <th className={`${figure} font-medium sm:hidden`}>Tokens</th>
            <th className={`${figure} font-medium`}>Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-line not-last:border-b">
              <td className={`${cell} w-full max-w-0 truncate`}>{nameOf(row)}</td>
              <td className={`${figure} max-sm:hidden`}>{row.llm_calls.toLocaleString('en')}</td>
              <td className={`${figure} max-sm:hidden`}>{row.input_tokens.toLocaleString('en')}</td>
              <td className={`${figure} max-sm:hidden`}>{row.output_tokens.toLocaleString('en')}</td>
              <td className={`${figure} sm:hidden`}>{(row.input_tokens + row.output_tokens).toLocaleString('en')}</td>
              <td className={figure}>{costText(row.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
