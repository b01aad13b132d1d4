import { writeFileSync } from 'node:fs';
import { generatedDocs } from './generated-docs.ts';

for (const [name, text] of await generatedDocs()) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
  console.log(`wrote docs/${name}`);
}
