import {
  checkConfig,
  checkDsl,
  configSchemaOf,
  isObject,
  type JsonObject,
  nodeConfig,
  policies,
  readDsl,
  retryPolicy,
} from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogue } from './index.ts';

const components = [...catalogue.values()];

function ownKeys(type: string): readonly string[] {
  const component = catalogue.get(type);
  const { properties } = component === undefined ? {} : configSchemaOf(component);
  return isObject(properties) ? Object.keys(properties) : [];
}

const shared = [...Object.keys(nodeConfig.shape), ...Object.keys(policies.shape), ...Object.keys(retryPolicy.shape)];
const others = ['id', 'type', 'label', 'prompt', 'credential', 'name', 'slug', 'tags', 'edges', 'layout', 'edge_label'];
const all = [...new Set([...shared, ...others, ...components.flatMap(({ type }) => ownKeys(type))])];

/** A text with a key at one place of a node. */
const places: Readonly<Record<string, (key: string) => string>> = {
  node: (key) => `    ${key}: 1\n`,
  config: (key) => `    config: {${key}: 1}\n`,
  policies: (key) => `    policies: {${key}: 1}\n`,
  retry: (key) => `    policies: {retry: {${key}: 1}}\n`,
  extra_config: (key) => `    extra_config: {${key}: 1}\n`,
  rules: (key) => `    rules: [{${key}: 1}]\n`,
  workflow: (key) => `${key}: 1\n`,
};

function messagesIn(text: string): readonly string[] {
  const names = { credentials: new Map<string, number>(), workflows: new Map<string, number>() };
  const { issues } = checkDsl(readDsl(text, catalogue), { catalogue, ...names, checkSchema: () => null });
  return issues.map(({ message, hint = '' }) => `${message} ${hint}`);
}

const cases = fc.record({
  type: fc.constantFrom(...components.map(({ type }) => type)),
  key: fc.constantFrom(...all),
  place: fc.constantFrom(...Object.keys(places)),
});

test('an unknown key is never suggested for itself, wherever it is given', () => {
  fc.assert(
    fc.property(cases, ({ type, key, place }) => {
      const messages = messagesIn(`name: T\nnodes:\n  - id: a\n    type: ${type}\n${places[place]?.(key) ?? ''}`);
      for (const message of messages) expect(message).not.toContain(`Did you mean '${key}'?`);
    }),
    { numRuns: 3000 },
  );
});

test('a key that is known in another place of the node says where it belongs', () => {
  fc.assert(
    fc.property(cases, ({ type, key, place }) => {
      const component = catalogue.get(type);
      if (component === undefined) return;
      const isKnown = [...shared, ...ownKeys(type)].includes(key);
      fc.pre(isKnown && (component.run !== undefined || !Object.hasOwn(retryPolicy.shape, key)));
      const messages = messagesIn(`name: T\nnodes:\n  - id: a\n    type: ${type}\n${places[place]?.(key) ?? ''}`);
      const config = { extra_config: { [key]: 1 } as JsonObject };
      const ofConfig = checkConfig(config, component).map(({ message }) => message);
      for (const message of [...(place === 'workflow' || place === 'rules' ? [] : messages), ...ofConfig]) {
        if (!/nknown key|unrecognized/i.test(message) || !message.includes(`'${key}'`)) continue;
        expect(message).toMatch(/Move it|belongs|Only steps have policies|sets it|Use 'system_prompt'/);
      }
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['loop', 'policies', 'on_error', "Move it out of 'policies', to the level above."],
  ['template', 'node', 'on_error', "It belongs under 'policies'."],
  ['ai_model', 'extra_config', 'on_error', "Only steps have policies, and 'ai_model' never runs."],
  ['template', 'policies', 'max_attempts', "Move it into 'retry', under 'policies'."],
  ['template', 'config', 'template', "Move it out of 'config', to the level above."],
  ['template', 'extra_config', 'system_prompt', "Move it out of 'extra_config', to the level above."],
  ['switch', 'rules', 'enable_fallback', "Move it directly into 'extra_config'."],
])('in a %s, below %s, the key %s gets the advice: %s', (type, place, key, advice) => {
  const messages = messagesIn(`name: T\nnodes:\n  - id: a\n    type: ${type}\n${places[place]?.(key) ?? ''}`);
  expect(messages).toContainEqual(expect.stringContaining(advice));
});
