import { readFileSync, statSync } from 'node:fs';
import { yamlLimits } from '@millrace/core';

/** A file that cannot be read, or whose text is invalid. The message has a line for each reason. */
export class Unreadable extends Error {}

/** The text of a YAML file. @throws Unreadable */
export function readText(path: string): string {
  try {
    const file = statSync(path);
    // A device or a pipe might never end.
    if (!file.isFile()) throw new Unreadable(`${path} is not a file.`);
    if (file.size > yamlLimits.bytes) throw new Unreadable(`${path} is larger than ${yamlLimits.bytes / 1024} KiB.`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Unreadable || !(error instanceof Error)) throw error;
    const code = 'code' in error ? String(error.code) : error.message;
    throw new Unreadable(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
}
