import type { JsonObject, ModelAnswer, ModelPort } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { categorizer } from './categorizer.ts';
import { extractor } from './extractor.ts';
import { router } from './router.ts';
import { perform } from './step.testkit.ts';

type Prompt = Parameters<ModelPort['ask']>[0];

const used = { inputTokens: 1, outputTokens: 1 };
const calling = (tool: string, args: JsonObject): ModelAnswer => ({
  ...{ text: '', stop: 'calls', calls: [{ id: 'a', tool, arguments: args }] },
  ...used,
});
const saying = (text: string): ModelAnswer => ({ text, stop: 'end', ...used });

/** A model that gives these answers, and what it was asked. */
function modelOf(...answers: readonly ModelAnswer[]) {
  const left = [...answers];
  const asked: Prompt[] = [];
  const model = async (prompt: Prompt): Promise<ModelAnswer> => {
    asked.push(prompt);
    return left.shift() ?? saying('The test has no further answer.');
  };
  return { model, asked };
}

const classes = [{ name: 'billing', description: 'Invoices.' }, { name: 'support' }];

describe('a categorizer', () => {
  test('makes the model choose one of its categories or other, with the descriptions', async () => {
    const { model, asked } = modelOf(calling('classify', { name: 'billing', confidence: 0.8 }));
    const { outputs } = await perform(categorizer, { input: 'My invoice?', config: { categories: classes }, model });
    expect(outputs).toEqual({ category: 'billing', confidence: 0.8 });
    const [{ system, messages, tools } = { system: '', messages: [], tools: undefined }] = asked;
    expect(system).toContain('- billing: Invoices.\n- support\n- other: Nothing else fits.');
    expect(messages).toEqual([{ role: 'user', content: 'My invoice?' }]);
    expect(tools).toMatchObject({ choice: { name: 'classify' }, isParallel: false });
  });

  test('does not offer other if it may not be chosen', async () => {
    const { model, asked } = modelOf(calling('classify', { name: 'support', confidence: 1 }));
    await perform(categorizer, { input: 'Hm.', config: { categories: classes, other: false }, model });
    expect(asked[0]?.system).not.toContain('other');
  });

  test('reads an answer that the model wrote as text', async () => {
    const { model } = modelOf(saying('{"name": "support", "confidence": 0.5}'));
    const { outputs } = await perform(categorizer, { input: 'Help', config: { categories: classes }, model });
    expect(outputs).toEqual({ category: 'support', confidence: 0.5 });
  });

  test('rejects a category that is listed twice', () => {
    const twice = { categories: [{ name: 'a' }, { name: 'a' }] };
    expect(categorizer.config.safeParse(twice).success).toBe(false);
  });
});

test('a router outputs the route, and its confidence as metadata', async () => {
  const { model } = modelOf(calling('classify', { name: 'support', confidence: 0.7 }));
  expect(await perform(router, { input: 'Help', config: { routes: classes }, model })).toEqual({
    outputs: { route: 'support' },
    metadata: { confidence: 0.7 },
  });
});

describe('an extractor', () => {
  // The schemas of these tests check the type of the whole value only.
  const schema = { type: 'object', properties: { order: { type: 'integer' } } };

  test('outputs the object that the model sends', async () => {
    const { model, asked } = modelOf(calling('extract', { order: 17 }));
    const { outputs } = await perform(extractor, { input: 'Order 17', config: { schema }, model });
    expect(outputs).toEqual({ extracted: { order: 17 } });
    expect(asked[0]?.tools?.list[0]?.parameters).toEqual(schema);
  });

  test('asks again with the reason, and fails with the last answer after its attempts', async () => {
    const bad: ModelAnswer = {
      ...calling('extract', {}),
      calls: [{ id: 'a', tool: 'extract', arguments: {}, problem: 'No.' }],
    };
    const { model, asked } = modelOf(bad, saying('I cannot.'));
    const failure = perform(extractor, { input: 'Order 17', config: { schema, attempts: 2 }, model });
    await expect(failure).rejects.toMatchObject({ code: 'model_output', metadata: { answer: 'I cannot.' } });
    expect(asked[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', calls: [{ id: 'a' }] },
      { role: 'tool', id: 'a', content: 'Invalid: No.', isError: true },
    ]);
  });

  test('needs the schema of an object, its own or that of a parser', async () => {
    await expect(perform(extractor, { input: 'x' })).rejects.toMatchObject({ code: 'config' });
    await expect(perform(extractor, { input: 'x', config: { schema: { type: 'array' } } })).rejects.toMatchObject({
      code: 'config',
    });
    const { model } = modelOf(calling('extract', { order: 1 }));
    const connected = { output_parser: [{ nodeId: 'p', type: 'output_parser', config: { schema } }] };
    expect((await perform(extractor, { input: 'x', connected, model })).outputs).toEqual({ extracted: { order: 1 } });
  });
});
