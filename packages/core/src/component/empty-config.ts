import type { NodeConfig } from './node-config.ts';

/** The config of a node for which nothing is given: the defaults of `nodeConfig`, for callers without its schema. */
export const emptyConfig: NodeConfig = {
  system_prompt: '',
  extra_config: {},
  llm_credential_id: null,
  model_name: '',
  temperature: null,
  max_tokens: null,
  frequency_penalty: null,
  presence_penalty: null,
  top_p: null,
  timeout: null,
  max_retries: null,
  response_format: null,
  llm_model_config_id: null,
  credential_id: null,
  is_active: true,
  priority: 0,
  trigger_config: {},
};
