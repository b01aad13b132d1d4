import type { Catalogue, Component } from '@millrace/core';
import type { DataType } from '@millrace/core/testkit';
import { z } from 'zod';

function port(name: string, dataType: DataType, required = false) {
  return { name, dataType, required, description: 'A value.' };
}

function component(type: string, extra: Partial<Component<never>>): [string, Component<never>] {
  const base: Component<never> = {
    type,
    label: type,
    category: 'Logic',
    description: 'For tests.',
    icon: 'box',
    color: '#000000',
    inputs: [],
    outputs: [],
    subInputs: [],
    effect: 'pure',
    version: 1,
    config: z.strictObject({}),
  };
  return [type, { ...base, ...extra }];
}

const run = () => ({ outputs: {} });

/** Node types of every kind that edge rules distinguish, with a few config fields of every type. */
export const testCatalogue: Catalogue = new Map([
  component('trigger_manual', { category: 'Triggers', outputs: [port('payload', 'any'), port('text', 'text')], run }),
  component('trigger_chat', { category: 'Triggers', outputs: [port('text', 'text')], run }),
  component('switch', {
    inputs: [port('input', 'any', true)],
    outputs: [port('output', 'any'), port('route', 'text')],
    run,
    config: switchConfig(),
    bareExpressions: ['expression'],
    verbatim: ['rules.*.field'],
    scopePaths: ['rules.*.field'],
  }),
  component('template', {
    inputs: [port('input', 'any')],
    outputs: [port('output', 'text')],
    run,
    config: templateConfig(),
  }),
  component('filter', { inputs: [port('input', 'array', true)], outputs: [port('filtered', 'array')], run }),
  component('calculator', {
    category: 'Tools',
    inputs: [port('expression', 'text')],
    outputs: [port('result', 'number'), port('tool', 'tool')],
    run,
  }),
  component('agent', {
    category: 'AI',
    inputs: [port('input', 'text')],
    outputs: [port('output', 'text')],
    subInputs: [port('model', 'llm', true), port('tools', 'tool'), port('memory', 'memory')],
    run,
  }),
  component('ai_model', { category: 'Models', outputs: [port('model', 'llm')] }),
  component('loop', { inputs: [port('items', 'array', true)], outputs: [port('results', 'array')], run }),
  component('notes', { category: 'Canvas' }),
]);

function switchConfig(): z.ZodType {
  const rule = z.strictObject({
    id: z.string(),
    field: z.string(),
    operator: z.enum(['equals', 'exists']),
    value: z.json().optional(),
  });
  return z.strictObject({
    rules: z.array(rule).default([]),
    expression: z.string().optional(),
    enable_fallback: z.boolean().default(false),
  });
}

function templateConfig(): z.ZodType {
  return z.strictObject({
    template: z.string().default(''),
    method: z.enum(['GET', 'POST']).default('GET'),
    headers: z.record(z.string(), z.string()).default({}),
  });
}
