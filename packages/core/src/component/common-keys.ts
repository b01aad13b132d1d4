import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { type Component, isTrigger } from './component.ts';
import { modelSlot } from './config-check.ts';
import { type NodeConfig, nodeConfig } from './node-config.ts';
import type { UiHint } from './ui-hint.ts';

type Key = keyof NodeConfig;

/** The settings of a model call: a node that does not have one inherits it from its model node. */
const modelKeys = [
  'temperature',
  'max_tokens',
  'frequency_penalty',
  'presence_penalty',
  'top_p',
  'response_format',
] as const satisfies readonly Key[];

const stepKeys = ['timeout', 'max_retries'] as const satisfies readonly Key[];

/** Triggers that use their credential to check the sender, not to send requests. */
const checksSenders: ReadonlySet<string> = new Set(['trigger_webhook', 'trigger_git']);

/** The common keys that a component reads, which are beside `extra_config`. */
export function commonKeysOf(component: Component<never>): readonly Key[] {
  const { type, subInputs, outputs, credential, run } = component;
  const callsModel = subInputs.some(({ name }) => name === modelSlot);
  const isModel = outputs.some(({ dataType }) => dataType === 'llm');
  return [
    ...(callsModel ? (['system_prompt'] as const) : []),
    ...(isModel ? (['llm_credential_id', 'model_name'] as const) : []),
    ...(callsModel || isModel ? modelKeys : []),
    ...(credential !== undefined || checksSenders.has(type) ? (['credential_id'] as const) : []),
    ...(isTrigger(component) ? (['is_active'] as const) : []),
    // Every active schedule fires.
    ...(isTrigger(component) && type !== 'trigger_schedule' ? (['priority'] as const) : []),
    ...(run !== undefined || isModel ? stepKeys : []),
  ];
}

const advanced: UiHint = { advanced: true };

/** How an editor shows the common keys. They are not in the schema itself, which is part of the OpenAPI document. */
const hints: Partial<Record<Key, UiHint>> = {
  system_prompt: { widget: 'prompt' },
  llm_credential_id: { widget: 'llm_credential' },
  model_name: { widget: 'model' },
  temperature: advanced,
  max_tokens: { unit: 'tokens', advanced: true },
  frequency_penalty: advanced,
  presence_penalty: advanced,
  top_p: advanced,
  response_format: { widget: 'json', advanced: true },
  credential_id: { widget: 'tool_credential' },
  is_active: advanced,
  priority: advanced,
  timeout: { widget: 'duration', unit: 'seconds', advanced: true },
  max_retries: advanced,
};

/** The JSON Schema (2020-12) of the common keys that a component reads. */
export function commonSchemaOf(component: Component<never>): JsonObject {
  const { properties, ...schema } = z.toJSONSchema(nodeConfig, { io: 'input' }) as JsonObject;
  const all = properties as Readonly<Record<Key, JsonObject>>;
  const read = commonKeysOf(component).map((key): [string, JsonObject] => {
    const isBot = key === 'credential_id' && component.credential?.type === 'chat_bot';
    const hint: UiHint | undefined = isBot ? { widget: 'chat_bot_credential' } : hints[key];
    return [key, hint === undefined ? all[key] : { ...all[key], ui: hint as JsonObject }];
  });
  return { ...schema, properties: Object.fromEntries(read) };
}
