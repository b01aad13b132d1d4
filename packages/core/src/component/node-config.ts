import { z } from 'zod';
import { type JsonObject, own } from '../json.ts';
import { maxTimeoutSeconds } from './policies.ts';

const modelDefault = '`null` means the setting of the connected model node, else that of the provider.';

/** A number for a model call, or null for the provider's default. */
const sampling = z.number().nullable().default(null);

/**
 * The common keys of every node's `config`, all always present in responses. Keys of one component are in
 * `extra_config` and are checked by that component's own schema.
 */
export const nodeConfig = z.object({
  system_prompt: z
    .string()
    .default('')
    .describe('The instructions for the model; may contain expressions. In YAML: `prompt`.')
    .meta({ examples: ['Answer with one word, billing or other.'] }),
  extra_config: z
    .record(z.string(), z.json())
    .default({})
    .describe('The keys of the component; its page lists them.')
    .meta({ examples: [{ template: 'Hello, {{ trigger.payload.name }}!' }] }),
  llm_credential_id: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('The id of the `llm` credential for the model provider. In YAML: `credential`, with its name.')
    .meta({ examples: [3] }),
  model_name: z
    .string()
    .default('')
    .describe('The name of the model at the provider.')
    .meta({ examples: ['some-model'] }),
  temperature: sampling
    .describe(`The sampling temperature, usually from 0 to 2. ${modelDefault}`)
    .meta({ examples: [0.2] }),
  max_tokens: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe(`The maximum number of tokens of an answer. ${modelDefault}`)
    .meta({ examples: [500] }),
  frequency_penalty: sampling
    .describe(`The penalty for tokens by how often they occur, usually from -2 to 2. ${modelDefault}`)
    .meta({ examples: [0.5] }),
  presence_penalty: sampling
    .describe(`The penalty for tokens that occur at all, usually from -2 to 2. ${modelDefault}`)
    .meta({ examples: [0.5] }),
  top_p: sampling
    .describe(`The share of the most probable tokens to sample from, from 0 to 1. ${modelDefault}`)
    .meta({ examples: [0.9] }),
  timeout: z
    .number()
    .positive()
    .max(maxTimeoutSeconds)
    .nullable()
    .default(null)
    .describe(
      'The maximum duration of one attempt in seconds; for a step that waits, of the wait. `null` means 300, and no ' +
        'limit for a wait. The policy `timeout_seconds` takes precedence.',
    )
    .meta({ examples: [60] }),
  max_retries: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe(
      'The number of retries after the first attempt. `null` means 2, and 0 for a step that is not repeated after a ' +
        'crash. The policy `retry.max_attempts` takes precedence.',
    )
    .meta({ examples: [2] }),
  response_format: z
    .json()
    .default(null)
    .describe(`The format of the answer, in the syntax of the provider. ${modelDefault}`)
    .meta({ examples: [{ type: 'json_object' }] }),
  llm_model_config_id: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('The id of the connected model node. The service sets it when an `llm` edge is created or deleted.')
    .meta({ examples: [32] }),
  credential_id: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe(
      'The id of the credential that the node uses: a `tool`, or the `chat_bot` of a bot. In YAML: `credential`, with its name.',
    )
    .meta({ examples: [4] }),
  is_active: z
    .boolean()
    .default(true)
    .describe('Whether the trigger fires.')
    .meta({ examples: [false] }),
  priority: z
    .int()
    .default(0)
    .describe('Of several active triggers of the same type, the one with the highest priority fires.')
    .meta({ examples: [10] }),
  trigger_config: z
    .record(z.string(), z.json())
    .default({})
    .describe(
      'Settings that clients store with a trigger; the service does not use them. The web app stores the `samples` of payloads here, which public viewers do not see.',
    )
    .meta({ examples: [{}] }),
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
