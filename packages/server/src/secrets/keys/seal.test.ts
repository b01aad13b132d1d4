import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyIdOf, open, seal } from './seal.ts';
import { keyOfPhrase, keyOfText, newKeyText } from './secret-key.ts';

const key = keyOfText(newKeyText());

/** The result of opening: the text, or the code of the error. */
function opened(sealed: string, binding = 'place', by = key): string {
  try {
    return open(by, binding, sealed);
  } catch (error) {
    return `error ${(error as { code?: string }).code}`;
  }
}

describe('a seal', () => {
  test('opens to exactly the text that was sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(opened(seal(key, 'place', text))).toBe(text);
      }),
    );
  });

  test('begins with the id of its key, and differs each time', () => {
    const seals = new Set(Array.from({ length: 1000 }, () => seal(key, 'place', 'secret')));
    expect(seals.size).toBe(1000);
    for (const sealed of seals) {
      expect(keyIdOf(sealed)).toBe(key.id);
      expect(sealed).toMatch(/^[0-9a-f]{8}\.[\w-]+$/);
    }
  });

  test('opens only with its own binding and its own key', () => {
    const sealed = seal(key, 'place', 'secret');
    expect(opened(sealed, 'other place')).toBe('error secret_unreadable');
    const other = keyOfText(newKeyText());
    expect(opened(sealed, 'place', other)).toBe('error secret_unreadable');
    // The id is bound, too: the same bytes with another id do not open.
    expect(opened(`${other.id}.${sealed.slice(9)}`, 'place', { id: other.id, key: key.key })).toBe(
      'error secret_unreadable',
    );
  });

  test('with any one bit changed gives an error, never another text', () => {
    const sealed = seal(key, 'place', 'a secret of some length, to have blocks');
    const bytes = Buffer.from(sealed);
    for (let bit = 9 * 8; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect([bit, opened(changed.toString('latin1'))]).toEqual([bit, 'error secret_unreadable']);
    }
  });

  test.each(['', '.', `${key.id}.`, `${key.id}.AAAA`, 'x'.repeat(100)])('is not accepted in the form %j', (text) => {
    expect(opened(text)).toBe('error secret_unreadable');
  });
});

describe('a key', () => {
  test('derived from the same text is the same', () => {
    const phrase = 'a phrase of at least 32 characters, as asked';
    expect(opened(seal(keyOfPhrase(phrase), 'p', 'text'), 'p', keyOfPhrase(phrase))).toBe('text');
    expect(keyOfPhrase(phrase).id).not.toBe(keyOfPhrase(`${phrase}.`).id);
  });

  test('does not show in its id', () => {
    const text = newKeyText();
    expect(Buffer.from(text, 'base64url').toString('hex')).not.toContain(keyOfText(text).id);
  });
});
