import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceProcess } from '../durable/service-process.ts';

test('a service that is killed right after its start has stored its compiled code for the next one', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-compiled-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const NODE_COMPILE_CACHE = join(dataDir, 'compiled');
  const service = await ServiceProcess.start(dataDir, { NODE_COMPILE_CACHE });
  await service.kill();
  // One entry for each of its several hundred files.
  expect(readdirSync(NODE_COMPILE_CACHE, { recursive: true }).length).toBeGreaterThan(300);
});
