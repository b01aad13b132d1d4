import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedDocs } from './generated-docs.ts';

test.each([...(await generatedDocs())])('docs/%s agrees with the code: `npm run docs` writes it', (name, text) => {
  expect(readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')).toBe(text);
});
