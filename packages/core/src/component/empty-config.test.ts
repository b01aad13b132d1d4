import { expect, it } from 'vitest';
import { emptyConfig } from './empty-config.ts';
import { nodeConfig } from './node-config.ts';

it('an empty config has the defaults of the schema', () => {
  expect(emptyConfig).toEqual(nodeConfig.parse({}));
});
