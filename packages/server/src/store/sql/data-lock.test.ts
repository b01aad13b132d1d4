import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataDirectoryInUse, lockDataDirectory } from './data-lock.ts';

describe('a data directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is locked once, and free again when the lock is given back', () => {
    const unlock = lockDataDirectory(folder);
    expect(() => lockDataDirectory(folder)).toThrow(DataDirectoryInUse);
    expect(() => lockDataDirectory(folder)).toThrow(/^Another Millrace already uses the data directory .*\.$/);
    unlock();
    lockDataDirectory(folder)();
  });

  test('is locked against other processes, and free at once when its owner is killed', async () => {
    const code = `
      const { lockDataDirectory } = await import(process.argv[1]);
      lockDataDirectory(process.argv[2]);
      console.log('locked');
      setInterval(() => {}, 1000);`;
    const module = new URL('./data-lock.ts', import.meta.url).href;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', code, module, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    expect(() => lockDataDirectory(folder)).toThrow(DataDirectoryInUse);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    lockDataDirectory(folder)();
  });

  test('that does not exist is an error of its own', () => {
    expect(() => lockDataDirectory(join(folder, 'missing'))).toThrow(/does not exist/);
  });
});
