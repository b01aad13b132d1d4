import { slices } from '../../ground/slices.ts';

/** A body of this size takes up to 4 ms to parse; many smaller ones may be parsed in one turn of the event loop. */
const largeBytes = 131_072;

/** Whether a body takes so long to parse that it needs a turn of the event loop of its own. */
export function isLargeBody(bytes: Buffer | undefined): boolean {
  return bytes !== undefined && bytes.length > largeBytes;
}

/** Resolves at once for a small body, and for a large one in a turn in which no other is parsed. */
export async function turnFor(bytes: Buffer | undefined): Promise<void> {
  if (isLargeBody(bytes)) await slices.turn();
}
