import { z } from 'zod';
import { type JsonObject, own } from '../json.ts';
import { maxTimeoutSeconds } from './policies.ts';

/** A number for a model call, or null for the provider's default. */
const sampling = z.number().nullable();

/**
 * The common keys of every node's `config`, all always present in responses. Keys of one component are in
 * `extra_config` and are checked by that component's own schema.
 */
export const nodeConfig = z.object({
  system_prompt: z.string().default(''),
  extra_config: z.record(z.string(), z.json()).default({}),
  llm_credential_id: z.int().positive().nullable().default(null),
  model_name: z.string().default(''),
  temperature: sampling.default(null),
  max_tokens: z.int().positive().nullable().default(null),
  frequency_penalty: sampling.default(null),
  presence_penalty: sampling.default(null),
  top_p: sampling.default(null),
  /** Seconds. */
  timeout: z.number().positive().max(maxTimeoutSeconds).nullable().default(null),
  max_retries: z.int().min(0).nullable().default(null),
  response_format: z.json().default(null),
  llm_model_config_id: z.int().positive().nullable().default(null),
  credential_id: z.int().positive().nullable().default(null),
  /** An inactive trigger never fires. */
  is_active: z.boolean().default(true),
  /** Of several triggers of a kind, the one with the highest priority fires. */
  priority: z.int().default(0),
  trigger_config: z.record(z.string(), z.json()).default({}),
});

export type NodeConfig = z.infer<typeof nodeConfig>;

// Weak: a parsed config is cached as long as the config exists.
const read = new WeakMap<object, z.ZodSafeParseResult<NodeConfig>>();

/** The parsed form of an immutable config: a check of a graph needs it several times. */
export function readNodeConfig(config: unknown): z.ZodSafeParseResult<NodeConfig> {
  if (typeof config !== 'object' || config === null) return nodeConfig.safeParse(config);
  const known = read.get(config) ?? nodeConfig.safeParse(config);
  read.set(config, known);
  // With all its defaults it parses to itself.
  if (known.success) read.set(known.data, known);
  return known;
}

/** Parses a stored config of a node: a `timeout` from before the limit existed is reduced to the limit. */
export function storedNodeConfig(config: JsonObject): NodeConfig {
  const timeout = own(config, 'timeout');
  const isTooLong = typeof timeout === 'number' && timeout > maxTimeoutSeconds;
  return nodeConfig.parse(isTooLong ? { ...config, timeout: maxTimeoutSeconds } : config);
}
