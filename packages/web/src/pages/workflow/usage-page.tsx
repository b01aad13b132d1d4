import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import type { ReactNode } from 'react';
import { usageQuery, type WorkflowUsage } from '../../api/activity/usage.ts';
import { workflowQuery } from '../../api/workflows.ts';
import { BudgetBar } from '../../conversation/budget-bars.tsx';
import { now } from '../../ui/clock.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { selectClasses } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SkeletonRows } from '../../ui/skeleton-rows.tsx';
import { limitsOf } from '../../usage/budget-limits.ts';
import { UsageChart } from '../../usage/usage-chart.tsx';
import { costText, dayText, everyDay, lastDays } from '../../usage/usage-days.ts';
import { type Measure, measures, periods } from '../../usage/usage-search.ts';
import { UsageTable } from '../../usage/usage-table.tsx';
import { WorkflowHeader } from './workflow-header.tsx';

const names: Readonly<Record<Measure, string>> = { cost: 'Cost', tokens: 'Tokens', calls: 'Calls' };

/** What the models of a workflow used: by day, and by node and model. */
export function UsagePage() {
  const { slug } = useParams({ from: '/app/w/$slug/usage' });
  const { days } = useSearch({ from: '/app/w/$slug/usage' });
  const workflow = useQuery(workflowQuery(slug));
  const usage = useQuery(usageQuery(slug, lastDays(days, now())));
  const error = workflow.error ?? usage.error;
  return (
    <>
      <WorkflowHeader slug={slug} title={`Usage of ${workflow.data?.name ?? slug}`} />
      <div className="mx-auto flex w-full max-w-4xl flex-col gap-5 p-4 md:p-6">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        <Choices />
        {usage.data === undefined && error === null && <SkeletonRows rows={4} />}
        {usage.data?.budget && <BudgetUse budget={usage.data.budget} />}
        {usage.data !== undefined && <Usage usage={usage.data} />}
      </div>
    </>
  );
}

/** How much of the budget is used. */
function BudgetUse({ budget }: { readonly budget: NonNullable<WorkflowUsage['budget']> }) {
  const { period, next_period_at: next } = budget;
  return (
    <Part title={`Budget of this ${period}`}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(12rem,1fr))] gap-x-4 gap-y-2">
        {limitsOf(budget).map((limit) => (
          <BudgetBar key={limit.name} budget={limit} />
        ))}
      </div>
      <p className="text-[12px] text-muted leading-4">
        When it is spent, steps that call a model fail until {next.slice(0, '2026-01-31'.length)}, 0:00 UTC.
      </p>
    </Part>
  );
}

/** The period, and what the chart shows of it. They are in the address, so that it can be shared. */
function Choices() {
  const { days, measure } = useSearch({ from: '/app/w/$slug/usage' });
  const navigate = useNavigate({ from: '/w/$slug/usage' });
  return (
    <div className="flex max-w-sm gap-3">
      <select
        aria-label="Period"
        className={selectClasses}
        value={days}
        onChange={({ target }) => void navigate({ search: { days: Number(target.value), measure } })}
      >
        {periods.map((count) => (
          <option key={count} value={count}>
            Last {count} days
          </option>
        ))}
      </select>
      <select
        aria-label="Figure of the chart"
        className={selectClasses}
        value={measure}
        onChange={({ target }) => void navigate({ search: { days, measure: target.value as Measure } })}
      >
        {measures.map((each) => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
    </div>
  );
}

function Usage({ usage }: { readonly usage: WorkflowUsage }) {
  const search = useSearch({ from: '/app/w/$slug/usage' });
  const { total } = usage;
  // Without prices there is no cost to show.
  const measure = search.measure === 'cost' && total.cost_usd === 0 ? 'tokens' : search.measure;
  if (total.llm_calls === 0)
    return (
      <EmptyState icon={<ChartColumn size={32} aria-hidden="true" />} title="No model was called in this period">
        The calls of agents and of other nodes that ask a model are counted here when their steps end.
      </EmptyState>
    );
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Total name="Cost" value={costText(total.cost_usd)} />
        <Total name="Calls" value={total.llm_calls.toLocaleString('en')} />
        <Total name="Input tokens" value={total.input_tokens.toLocaleString('en')} />
        <Total name="Output tokens" value={total.output_tokens.toLocaleString('en')} />
      </dl>
      {total.cost_usd === 0 && (
        <p className="text-[13px] text-muted">
          Costs are calculated with the prices of the model nodes. Their settings have none.
        </p>
      )}
      <UsageChart name={names[measure]} days={everyDay(usage)} measure={measure} />
      <Part title="By node and model">
        <UsageTable
          name="Node"
          rows={usage.nodes}
          keyOf={({ node_id: node, model }) => JSON.stringify([node, model])}
          nameOf={({ node_id: node, model }) => (
            <>
              <span className="block truncate">{node ?? 'Other nodes'}</span>{' '}
              <span className="block truncate text-[12px] text-muted">{model}</span>
            </>
          )}
        />
      </Part>
      <Part title="By day">
        <UsageTable
          name="Day (UTC)"
          rows={usage.days.toReversed()}
          keyOf={({ day }) => day}
          nameOf={({ day }) => dayText(day)}
        />
      </Part>
    </>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="rounded-card border border-line bg-surface px-4 py-3">
      <dt className="text-[12px] text-muted">{name}</dt>
      <dd className="truncate font-semibold text-[20px] tabular-nums">{value}</dd>
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold text-[14px]">{title}</h2>
      {children}
    </section>
  );
}
