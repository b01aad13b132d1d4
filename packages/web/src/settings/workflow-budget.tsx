import { useId } from 'react';
import type { changeWorkflow, Workflow } from '../api/workflows.ts';
import { ContestNotice } from '../edits/contest-notice.tsx';
import type { ContestedField } from '../edits/contested-fields.ts';
import { selectClasses, TextField } from '../ui/field.tsx';
import { SaveButton } from './saved.tsx';
import { useSettings } from './use-settings.ts';

type Changes = Parameters<typeof changeWorkflow>[1];
type Budget = NonNullable<Workflow['budget']>;

interface BudgetForm {
  readonly tokens: string;
  readonly usd: string;
  readonly period: Budget['period'];
}

const formOf = ({ budget }: Workflow): BudgetForm => ({
  tokens: String(budget?.tokens ?? ''),
  usd: String(budget?.usd ?? ''),
  period: budget?.period ?? 'month',
});

/** Without a limit there is no budget. */
function changesOf({ tokens, usd, period }: BudgetForm): Changes {
  const limits = { tokens: tokens.trim() === '' ? null : Number(tokens), usd: usd.trim() === '' ? null : Number(usd) };
  return { budget: limits.tokens === null && limits.usd === null ? null : { ...limits, period } };
}

function textOf(value: unknown): string {
  if (value === null) return 'no limit';
  if (typeof value !== 'object') return String(value);
  const { tokens, usd, period } = value as Budget;
  const limits = [tokens === null ? [] : [`${tokens} tokens`], usd === null ? [] : [`$${usd}`]].flat();
  return `${limits.join(' and ')} per ${period}`;
}

const shown = ({ mine, theirs }: ContestedField) => ({ mine: textOf(mine), theirs: textOf(theirs) });

/** What the models of a workflow may use. */
export function WorkflowBudget({ workflow }: { readonly workflow: Workflow }) {
  const id = useId();
  const { form, change, submit, edit } = useSettings(workflow, { formOf, changesOf });
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <ContestNotice contest={edit.contest} nameOf={() => 'Budget'} shown={shown} />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Tokens"
          type="number"
          min={1}
          max={1_000_000_000_000}
          placeholder="No limit"
          value={form.tokens}
          onChange={({ target }) => change({ tokens: target.value })}
        />
        <TextField
          label="US dollars"
          type="number"
          min={0}
          max={1_000_000}
          step="any"
          placeholder="No limit"
          value={form.usd}
          hint="By the prices in the model nodes."
          onChange={({ target }) => change({ usd: target.value })}
        />
        <div className="flex flex-col gap-1">
          <label htmlFor={id} className="font-medium text-[13px]">
            In each
          </label>
          <select
            id={id}
            className={selectClasses}
            value={form.period}
            onChange={({ target }) => change({ period: target.value as Budget['period'] })}
          >
            <option value="day">Day (UTC)</option>
            <option value="month">Month (UTC)</option>
          </select>
        </div>
      </div>
      <SaveButton state={edit.state} isChanged={edit.isChanged} />
    </form>
  );
}
