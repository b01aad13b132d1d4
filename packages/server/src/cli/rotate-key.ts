import { dirname, join } from 'node:path';
import { KeyFile } from '../secrets/keys/key-file.ts';
import { InstalledKeys } from '../secrets/keys/keyring.ts';
import { type RotationReport, rotateKey } from '../secrets/rotation.ts';
import { type Command, CommandError, type CommandPorts } from './command.ts';

/** Changes the encryption key of the stored secrets. */
export const rotateKeyCommand: Command = {
  name: 'rotate-key',
  takes: '',
  summary: 'Encrypts all stored secrets with a new key; the service may be running.',
  async run(args, ports) {
    if (args.words.length > 0) {
      throw new CommandError(
        'rotate-key has no arguments; set the new key in MILLRACE_NEW_SECRET_KEY, if you choose it yourself.',
      );
    }
    // Two rotations at once would overwrite each other's key file.
    const lock = `${ports.databaseFile}.rotate-key.lock`;
    const report = await ports.withLock(lock, () => rotate(ports));
    if (report === null) throw new CommandError('Another rotate-key is running: wait until it ends.');
    printResult(report, ports);
  },
};

function rotate({ config, databaseFile, store }: CommandPorts): Promise<RotationReport> {
  const file = new KeyFile(join(dirname(databaseFile), 'secret.key'));
  const keys = new InstalledKeys(file, config.secretKey);
  return rotateKey({ keys, store, newPhrase: config.newSecretKey });
}

function printResult({ continued, resealed, unreadable }: RotationReport, { config, print }: CommandPorts): void {
  if (continued) print('Finished an interrupted rotation. Run the command again for another new key.');
  print(`${resealed} ${resealed === 1 ? 'secret was' : 'secrets were'} encrypted with the new key.`);
  if (config.newSecretKey !== null) {
    print('From now on, start the service with the new key in MILLRACE_SECRET_KEY: the old key no longer works.');
  }
  if (unreadable.length === 0) return;
  throw new CommandError(
    `These secrets cannot be decrypted and were not changed; their key was not deleted: ${unreadable.join(', ')}. ` +
      'Delete them and create them again.',
  );
}
