import { expect, it } from 'vitest';
import type { Catalogue, Component } from '../component/component.ts';
import { typeSuggestion } from './step-types.ts';

const catalogue: Catalogue = new Map(
  ['http_request', 'human_confirmation', 'trigger_webhook', 'template'].map((type) => [type, {} as Component<never>]),
);

it.each([
  ['http', " Did you mean 'http_request'?"],
  ['human', " Did you mean 'human_confirmation'?"],
  ['webhook', " Did you mean 'trigger_webhook'?"],
  ['tempalte', " Did you mean 'template'?"],
  ['nothing', ''],
])('an unknown type %s gets a suggestion', (name, words) => {
  expect(typeSuggestion(name, catalogue)).toBe(words);
});
