import { type JsonObject, nodeConfig } from '@millrace/core';
import { z } from 'zod';
import { json, jsonObject } from '../base/json.ts';
import { furtherKeys } from '../base/unknown-keys.ts';

const { extra_config: own, response_format: format, trigger_config: unused } = nodeConfig.shape;

/** The `config` of a node in responses. */
export const shownConfig = nodeConfig
  .extend({
    // With the JSON of the document, which has a name. The rest of the description is that of the key.
    extra_config: jsonObject.meta({ ...own.meta(), default: {} }),
    response_format: json.meta({ ...format.meta(), default: null }),
    trigger_config: jsonObject.meta({ ...unused.meta(), default: {} }),
  })
  .describe('The keys that all nodes share; the keys of the component are in `extra_config`.');

/** The schemas of the keys of `config` in the document. */
export const configKeySchemas = keySchemas();

function keySchemas(): JsonObject {
  const { properties } = z.toJSONSchema(shownConfig, { io: 'input' });
  const text = JSON.stringify(properties).replaceAll('"#/$defs/Json"', '"#/components/schemas/Json"');
  return JSON.parse(text) as JsonObject;
}

/** The keys of a change have no defaults: the stored value of a key that is not given is unchanged. */
function withoutDefaults(schemas: JsonObject): JsonObject {
  const entries = Object.entries(schemas).map(([key, schema]) => {
    const { default: _default, ...rest } = schema as JsonObject;
    return [key, rest] as const;
  });
  return Object.fromEntries(entries);
}

// The content is validated when the component of the node is known.
const anyConfig = z.record(z.string(), z.unknown()).register(furtherKeys, {
  keys: Object.keys(nodeConfig.shape),
  hint: "The component's own settings belong in 'extra_config'.",
});

/** The `config` of a node to create. */
export const givenConfig = anyConfig.meta({
  description: 'The keys that all nodes share; the keys of the component belong in `extra_config`.',
  properties: configKeySchemas,
});

/** What to change in the `config` of a node. */
export const configChanges = anyConfig.meta({
  description:
    'The given keys replace the stored ones, also within `extra_config`; other keys are unchanged. Null removes a key of `extra_config`.',
  properties: withoutDefaults(configKeySchemas),
});
