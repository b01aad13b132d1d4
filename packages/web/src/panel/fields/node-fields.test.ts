import { expect, test } from 'vitest';
import type { NodeType } from '../../api/node-types.ts';
import { nodeChanges, nodeFieldsOf, valuesOf } from './node-fields.ts';

const type = {
  category: 'AI',
  executable: true,
  config_schema: {
    properties: { input: { type: 'string' }, retry: { type: 'object', properties: {} }, on_error: { type: 'string' } },
  },
  common_schema: {
    properties: {
      system_prompt: { type: 'string', default: '', ui: { widget: 'prompt' } },
      temperature: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null, ui: { advanced: true } },
      max_retries: { type: 'integer', ui: { advanced: true } },
    },
  },
} as unknown as NodeType;
const { setup, settings } = nodeFieldsOf(type, 'ask');
const node = { label: null, config: { system_prompt: '', temperature: 0.5, extra_config: { input: 'a', other: 1 } } };

test('the policies of a step are settings, and the keys that policies replace are not shown', () => {
  expect(setup.map(({ key }) => key)).toEqual(['label', 'system_prompt', 'input', 'temperature']);
  expect(settings.map(({ key }) => key)).toEqual(['retry', 'on_error']);
});

test('the policies of a node that only agents call are settings, without the one for incoming edges', () => {
  const properties = { url: { type: 'string' }, join: { type: 'string' }, on_error: { type: 'string' } };
  const tool = nodeFieldsOf(
    { ...type, executable: false, config_schema: { properties } } as unknown as NodeType,
    'tool',
  );
  expect(tool.setup.map(({ key }) => key)).toEqual(['label', 'system_prompt', 'url', 'temperature']);
  expect(tool.settings.map(({ key }) => key)).toEqual(['on_error']);
});

test('the values are those of the config with the edits; null and empty common keys are not set', () => {
  expect(valuesOf(node, setup, new Map())).toEqual({ temperature: 0.5, input: 'a' });
  expect(valuesOf(node, setup, new Map([['extra_config.input', undefined]]))).toEqual({ temperature: 0.5 });
});

test('edits change only their own keys, and a removed key gets its empty value', () => {
  const edits = new Map<string, unknown>([
    ['extra_config.input', 'b'],
    ['system_prompt', undefined],
  ]);
  expect(nodeChanges(edits, setup)).toEqual({ config: { extra_config: { input: 'b' }, system_prompt: '' } });
  const removed = new Map<string, unknown>([
    ['extra_config.input', undefined],
    ['temperature', undefined],
  ]);
  expect(nodeChanges(removed, setup)).toEqual({ config: { extra_config: { input: null }, temperature: null } });
});
