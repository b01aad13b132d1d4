import { createHash } from 'node:crypto';
import type { Script } from '@millrace/core';

/**
 * What each script of a test draws by chance from. It follows from the script and its values, not from the order in which
 * parallel branches come to theirs: so a test draws the same each time. The same script with the same values draws anew.
 */
export class ScriptDraws {
  readonly #seen = new Map<string, number>();

  /** 32 bits for a script that is about to run. */
  seedFor({ source, scope }: Script): number {
    const script = createHash('sha256')
      .update(JSON.stringify([source, scope]))
      .digest('hex');
    const before = this.#seen.get(script) ?? 0;
    this.#seen.set(script, before + 1);
    return createHash('sha256').update(`${before} ${script}`).digest().readUInt32LE(0);
  }
}
