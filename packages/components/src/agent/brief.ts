import type { Json, JsonObject, OutputParserConfig, Tool } from '@millrace/core';
import {
  type AgentConfig,
  defaultMaxSteps,
  defaultMaxToolCalls,
  defaultParallel,
  defaultResultLimit,
} from './agent-config.ts';

/** What one answer may use. Null for no limit. */
export interface Budget {
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly toolCalls: number;
  readonly seconds: number | null;
}

/**
 * What an agent with tools begins with. The journal stores it once for each attempt, so the form of its JSON is stable,
 * and outputs of other branches do not change it while the agent works.
 */
export interface Brief {
  readonly system: string;
  readonly question: string;
  /** The node of the model. */
  readonly model: string;
  readonly tools: readonly Tool[];
  readonly parser: OutputParserConfig | null;
  readonly maxSteps: number;
  readonly budget: Budget;
  readonly onLimit: 'fail' | 'answer' | 'ask';
  readonly approve: readonly string[];
  readonly approveSeconds: number | null;
  readonly parallel: number;
  readonly toolChoice: string;
  readonly resultLimit: number;
  readonly isGuarded: boolean;
}

type Limits = Omit<Brief, 'system' | 'question' | 'model' | 'tools' | 'parser'>;

/** The limits of a config, with the defaults. */
export function limitsOf(config: AgentConfig): Limits {
  const {
    tokens = null,
    usd = null,
    tool_calls: toolCalls = defaultMaxToolCalls,
    seconds = null,
  } = config.budgets ?? {};
  return {
    maxSteps: config.max_steps ?? defaultMaxSteps,
    budget: { tokens, usd, toolCalls, seconds },
    onLimit: config.on_limit ?? 'fail',
    approve: config.approve ?? [],
    approveSeconds: config.approve_seconds ?? null,
    parallel: config.parallel ?? defaultParallel,
    toolChoice: config.tool_choice ?? 'auto',
    resultLimit: config.result_limit ?? defaultResultLimit,
    isGuarded: config.guard === 'after_untrusted',
  };
}

/** As the journal stores it. */
export function writtenBrief(brief: Brief): JsonObject {
  return brief as unknown as JsonObject;
}

/** Reverses `writtenBrief`. The shape is the writer's: only an agent writes it. */
export function readBrief(stored: JsonObject): Brief {
  return stored as unknown as Brief;
}

/** A result or an answer as text: JSON unless it is text. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
