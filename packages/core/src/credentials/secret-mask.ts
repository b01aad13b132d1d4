/** The mask of a short secret, and the middle of every other mask. */
export const fullMask = '****';

/** Characters shown at each end; a secret must have enough between them. */
const shownEnd = 4;
/** For a shorter secret the ends would be more than half of it. */
const leastShown = 12;

/** The mask of a secret: `<first4>****<last4>`, `****` for a short one, empty for an empty one. Cut by code points. */
export function maskText(secret: string): string {
  if (secret === '') return '';
  const points = Array.from(secret);
  if (points.length < leastShown) return fullMask;
  return points.slice(0, shownEnd).join('') + fullMask + points.slice(-shownEnd).join('');
}

/** Whether a text has the shape of a mask: perhaps an outdated one, or one of another secret. */
export function looksMasked(text: string): boolean {
  return /^.{0,4}\*{4}.{0,4}$/su.test(text);
}

/**
 * Whether a key of a free-form config names a secret. Prefers false positives: a masked text can still be sent back.
 */
export function isSecretKey(key: string): boolean {
  return /key|token|secret|pass|auth|cookie|cred|signature/i.test(key);
}
