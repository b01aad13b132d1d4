import { expect, it } from 'vitest';
import { perform } from './step.testkit.ts';
import { template } from './template.ts';

const names = { trigger: { payload: { name: 'Member', total: 4.5, items: [1, 'a'] } } };

async function textOf(text: string): Promise<unknown> {
  return (await perform(template, { config: { template: text }, names })).outputs.output;
}

it('outputs the text with its expressions evaluated', async () => {
  expect(await textOf('Dear {{ trigger.payload.name }}: {{ trigger.payload.total }}')).toBe('Dear Member: 4.5');
  expect(await textOf('')).toBe('');
});

it('outputs text even if the whole template is one expression of another type', async () => {
  expect(await textOf('{{ trigger.payload.total }}')).toBe('4.5');
  expect(await textOf('{{ trigger.payload.items }}')).toBe(await textOf('{{ trigger.payload.items }}{{ "" }}'));
});

it('fails for a name that does not exist', async () => {
  await expect(textOf('Dear {{ trigger.payload.nome }}')).rejects.toMatchObject({ code: 'expression' });
});

it('fails without a template', async () => {
  await expect(perform(template)).rejects.toMatchObject({ code: 'config' });
});
