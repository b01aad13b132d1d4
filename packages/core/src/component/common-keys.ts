import { type Component, isTrigger } from './component.ts';
import { modelSlot } from './config-check.ts';
import type { NodeConfig } from './node-config.ts';

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

/** The common keys that a component reads, which are beside `extra_config`. */
export function commonKeysOf(component: Component<never>): readonly Key[] {
  const { type, subInputs, outputs, credential, run } = component;
  const callsModel = subInputs.some(({ name }) => name === modelSlot);
  const isModel = outputs.some(({ dataType }) => dataType === 'llm');
  return [
    ...(callsModel ? (['system_prompt'] as const) : []),
    ...(isModel ? (['llm_credential_id', 'model_name'] as const) : []),
    ...(callsModel || isModel ? modelKeys : []),
    // A webhook uses its credential to check the sender, not to send requests.
    ...(credential !== undefined || type === 'trigger_webhook' ? (['credential_id'] as const) : []),
    ...(isTrigger(component) ? (['is_active'] as const) : []),
    // Every active schedule fires.
    ...(isTrigger(component) && type !== 'trigger_schedule' ? (['priority'] as const) : []),
    ...(run !== undefined || isModel ? stepKeys : []),
  ];
}
