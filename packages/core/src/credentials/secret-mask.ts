/** What stands for a short secret, and in the middle of each mask. */
export const fullMask = '****';

/** Shown at each end; a secret must have enough between them. */
const shownEnd = 4;
/** Below it the ends would be more than half of the secret. */
const leastShown = 12;

/** What is shown of a secret: `<first4>****<last4>`, `****` for a short one, nothing for none. Cut by code points. */
export function maskText(secret: string): string {
  if (secret === '') return '';
  const points = Array.from(secret);
  if (points.length < leastShown) return fullMask;
  return points.slice(0, shownEnd).join('') + fullMask + points.slice(-shownEnd).join('');
}

/** Whether a text has the shape of a mask: of one that was true once, or is another secret's. */
export function looksMasked(text: string): boolean {
  return /^.{0,4}\*{4}.{0,4}$/su.test(text);
}

/** Whether a key of a free config names a secret. Rather too many than too few: a masked text can still be sent back. */
export function isSecretKey(key: string): boolean {
  return /key|token|secret|pass|auth|cookie|cred|signature/i.test(key);
}
