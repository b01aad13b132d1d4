import {
  addSpent,
  type Budget,
  exceededBudget,
  formatInstant,
  type Instant,
  nothingSpent,
  periodOf,
  type Spent,
  StepError,
} from '@millrace/core';
import type { Clock } from '../ground/clock.ts';
import type { Store } from '../store/store.ts';

interface BudgetsPorts {
  readonly budgetOf: Store['workflows']['budgetOf'];
  readonly spentSince: Store['usage']['spentSince'];
  readonly clock: Pick<Clock, 'now'>;
}

/** Ends the reservation of one call of a model, with what the call used. */
export type Settle = (used: Spent) => void;

/** For calls that cost nothing. */
export async function holdNothing(): Promise<Settle> {
  return () => undefined;
}

/** What one call of a model may use. */
export interface Estimate {
  /** Its prompt, and its answer if that has a limit. */
  readonly least: Spent;
  /** With an answer of the usual length. */
  readonly usual: Spent;
}

/**
 * What one workflow used in one period. The store counts a step when it ends; the answers since then, and the calls in
 * progress, are known only here.
 */
interface Ledger {
  spent: Spent;
  reserved: Spent;
}

/** Limits what the models of each workflow use. Only workflows with a budget are kept in memory. */
export class Budgets {
  readonly #ports: BudgetsPorts;
  readonly #periods = new Map<number, { readonly since: string; readonly ledger: Promise<Ledger> }>();

  constructor(ports: BudgetsPorts) {
    this.#ports = ports;
  }

  /**
   * Reserves what the next call of a model will use.
   * @throws StepError `budget_spent`
   */
  async hold(workflowId: number, estimate: () => Estimate): Promise<Settle> {
    const budget = await this.#ports.budgetOf(workflowId);
    if (budget === null) {
      this.#periods.delete(workflowId);
      return () => undefined;
    }
    const { since, until } = periodOf(budget, this.#ports.clock.now());
    const ledger = await this.#ledgerOf(workflowId, since);
    const { least, usual } = estimate();
    const used = addSpent(ledger.spent, ledger.reserved);
    const limit = exceededBudget(budget, addSpent(used, least));
    if (limit !== null) {
      if (exceededBudget(budget, least) !== null) throw tooLarge(budget, limit);
      // The calls in progress may use less than they have reserved.
      const isCertain = exceededBudget(budget, addSpent(ledger.spent, least)) !== null;
      throw budgetSpent(budget, { limit, until, isCertain });
    }
    const call = withinBudget(budget, { used, least, usual });
    ledger.reserved = addSpent(ledger.reserved, call);
    return (answer) => {
      ledger.reserved = addSpent(ledger.reserved, { tokens: -call.tokens, usd: -call.usd });
      ledger.spent = addSpent(ledger.spent, answer);
    };
  }

  /** Calls that arrive together read the store once, or each would count only its own answer. */
  #ledgerOf(workflowId: number, since: string): Promise<Ledger> {
    const known = this.#periods.get(workflowId);
    if (known?.since === since) return known.ledger;
    const ledger = this.#ports.spentSince({ workflowId, since }).then((spent) => ({ spent, reserved: nothingSpent }));
    this.#periods.set(workflowId, { since, ledger });
    ledger.catch(() => this.#periods.delete(workflowId));
    return ledger;
  }
}

/** What is reserved: as much as usual if it is left, so that calls at the same time do not exceed the budget together. */
function withinBudget({ tokens, usd }: Budget, { used, least, usual }: Estimate & { readonly used: Spent }): Spent {
  const part = (limit: number | null, of: (spent: Spent) => number): number =>
    limit === null ? of(usual) : Math.max(of(least), Math.min(of(usual), limit - of(used)));
  return { tokens: part(tokens, (spent) => spent.tokens), usd: part(usd, (spent) => spent.usd) };
}

function tooLarge({ period }: Budget, limit: string): StepError {
  const what = `The prompt, with max_tokens, needs more than the workflow's whole budget of ${limit} per ${period}`;
  return new StepError('budget_spent', `${what}. Shorten it, or raise the budget.`);
}

function budgetSpent(
  { period }: Budget,
  { limit, until, isCertain }: { readonly limit: string; readonly until: Instant; readonly isCertain: boolean },
): StepError {
  const next = formatInstant(until).slice(0, '2026-01-31T12:00'.length);
  const what = `The workflow's budget of ${limit} per ${period} is spent, or reserved by calls in progress`;
  const remedy = `Retry the execution from ${next}Z on, or with a higher budget`;
  return new StepError('budget_spent', `${what}. ${remedy}.`, { retryable: !isCertain });
}
