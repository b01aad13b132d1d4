import { dirname, join } from 'node:path';
import { KeyFile } from '../secrets/keys/key-file.ts';
import { InstalledKeys } from '../secrets/keys/keyring.ts';
import { type RotationReport, rotateKey } from '../secrets/rotation.ts';
import { type Command, CommandError, type CommandPorts } from './command.ts';

/** Changes the encryption key of the stored secrets. */
export const rotateKeyCommand: Command = {
  name: 'rotate-key',
  takes: '',
  summary: 'Seals all stored secrets by a new key; the service may run meanwhile.',
  async run(args, ports) {
    if (args.words.length > 0) {
      throw new CommandError('rotate-key takes nothing; MILLRACE_NEW_SECRET_KEY may give the new key.');
    }
    // Two rotations at once would overwrite each other's key file.
    const lock = `${ports.databaseFile}.rotate-key.lock`;
    const report = await ports.withLock(lock, () => rotate(ports));
    if (report === null) throw new CommandError('Another rotate-key is under way: wait for its end.');
    printResult(report, ports);
  },
};

function rotate({ config, databaseFile, store }: CommandPorts): Promise<RotationReport> {
  const file = new KeyFile(join(dirname(databaseFile), 'secret.key'));
  const keys = new InstalledKeys(file, config.secretKey);
  return rotateKey({ keys, store, newPhrase: config.newSecretKey });
}

function printResult({ continued, resealed, unreadable }: RotationReport, { config, print }: CommandPorts): void {
  if (continued) print('Finished a rotation that was begun before; run it again for another new key.');
  print(`${resealed} ${resealed === 1 ? 'secret was' : 'secrets were'} sealed by the new key.`);
  if (config.newSecretKey !== null) {
    print('Start the service with the new key in MILLRACE_SECRET_KEY from now on: the old one opens nothing any more.');
  }
  if (unreadable.length === 0) return;
  throw new CommandError(
    `These secrets cannot be opened and were left, with the key that sealed them: ${unreadable.join(', ')}. ` +
      'Delete them, and create them again.',
  );
}
