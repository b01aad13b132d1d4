-- What an agent is asked was called `prompt`, which is what texts of workflows call the system prompt.
UPDATE nodes
SET config = json_set(
  json_remove(config, '$.extra_config.prompt'), '$.extra_config.input', json_extract(config, '$.extra_config.prompt'))
WHERE component_type = 'agent' AND json_type(config, '$.extra_config.prompt') = 'text'
  AND json_type(config, '$.extra_config.input') IS NULL;
