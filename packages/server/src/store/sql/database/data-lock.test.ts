import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AlreadyInUse, lockDatabase, lockDataDirectory } from './data-lock.ts';

describe('a data directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('can be locked once, and is free again after the lock is released', () => {
    const unlock = lockDataDirectory(folder);
    expect(() => lockDataDirectory(folder)).toThrow(AlreadyInUse);
    expect(() => lockDataDirectory(folder)).toThrow(/^Another Millrace already uses the data directory .*\.$/);
    unlock();
    lockDataDirectory(folder)();
  });

  test('is locked against other processes while its owner lives, and free as soon as the owner is killed', async () => {
    // The owner drops its reference and collects garbage: the lock must persist.
    const code = `
      const { lockDataDirectory } = await import(process.argv[1]);
      lockDataDirectory(process.argv[2]);
      gc();
      console.log('locked');
      setInterval(() => {}, 1000);`;
    const module = new URL('./data-lock.ts', import.meta.url).href;
    const args = ['--expose-gc', '--input-type=module', '-e', code, module, folder];
    const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(owner, 'exit');
    try {
      await once(owner.stdout, 'data');
      expect(() => lockDataDirectory(folder)).toThrow(AlreadyInUse);
    } finally {
      owner.kill('SIGKILL');
      await ended;
    }
    lockDataDirectory(folder)();
  });

  test('that does not exist gives its own error', () => {
    expect(() => lockDataDirectory(join(folder, 'missing'))).toThrow(/does not exist/);
  });
});

describe('a database', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('can be locked once, under any of its names', () => {
    const [path, alias] = [join(folder, 'runs.db'), join(folder, 'alias.db')];
    writeFileSync(path, '');
    symlinkSync(path, alias);
    const unlock = lockDatabase(path);
    expect(() => lockDatabase(alias)).toThrow(AlreadyInUse);
    expect(() => lockDatabase(path)).toThrow(/^Another Millrace already uses the database .*runs\.db: stop it first/);
    unlock();
    lockDatabase(alias)();
  });

  test('that does not exist yet is locked, too', () => {
    const path = join(folder, 'new.db');
    const unlock = lockDatabase(path);
    expect(() => lockDatabase(path)).toThrow(AlreadyInUse);
    unlock();
  });
});
