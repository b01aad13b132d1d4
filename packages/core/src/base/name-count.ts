/** An odd number with which a hash spreads over all bits (FNV). */
const factor = 0x01000193;
/** Entries with the same hash that are compared. More are only found in a text that was prepared for it. */
const maxProbes = 64;

/**
 * Counts the names in the objects of a JSON text. A name counts once for all objects in which it follows the same names:
 * these are the shapes that a parser creates. Names are compared as they are written.
 */
export class NameCount {
  readonly #text: string;
  readonly #limit: number;
  /** The numbers of names by their hashes; 0 for none. */
  readonly #slots: Int32Array;
  /** For each name, the one before it in its object, and its place in the text. */
  readonly #before: Int32Array;
  readonly #start: Int32Array;
  readonly #end: Int32Array;
  /** The last name of each list and object that is open. */
  readonly #open: number[] = [0];
  #count = 0;

  constructor(text: string, limit: number) {
    this.#text = text;
    this.#limit = limit;
    // A name needs at least three characters, its colon included.
    const most = Math.min(limit, Math.ceil(text.length / 3)) + 2;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most)));
    this.#before = new Int32Array(most);
    this.#start = new Int32Array(most);
    this.#end = new Int32Array(most);
  }

  /** A list or an object begins. */
  open(): void {
    this.#open.push(0);
  }

  /** It ends. A text with more ends than beginnings is not JSON. */
  close(): void {
    if (this.#open.length > 1) this.#open.pop();
  }

  /** Adds a name of the innermost object; false if there are more than the limit. */
  add(start: number, end: number): boolean {
    const before = this.#open.at(-1) ?? 0;
    let slot = this.#hash(before, start, end);
    for (let probe = 0; probe < maxProbes; probe += 1) {
      const known = this.#slots[slot] ?? 0;
      if (known === 0) return this.#addNew(slot, { before, start, end });
      if (this.#isSame(known, before, start, end)) {
        this.#open[this.#open.length - 1] = known;
        return true;
      }
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    return this.#addNew(null, { before, start, end });
  }

  #addNew(slot: number | null, name: { before: number; start: number; end: number }): boolean {
    this.#count += 1;
    if (this.#count > this.#limit || this.#count >= this.#before.length) return false;
    this.#before[this.#count] = name.before;
    this.#start[this.#count] = name.start;
    this.#end[this.#count] = name.end;
    if (slot !== null) this.#slots[slot] = this.#count;
    this.#open[this.#open.length - 1] = this.#count;
    return true;
  }

  #isSame(known: number, before: number, start: number, end: number): boolean {
    if (this.#before[known] !== before || (this.#end[known] ?? 0) - (this.#start[known] ?? 0) !== end - start)
      return false;
    const shift = (this.#start[known] ?? 0) - start;
    for (let at = start; at < end; at += 1) {
      if (this.#text.charCodeAt(at) !== this.#text.charCodeAt(at + shift)) return false;
    }
    return true;
  }

  #hash(before: number, start: number, end: number): number {
    let hash = before;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ this.#text.charCodeAt(at), factor);
    return (hash ^ (hash >>> 15)) & (this.#slots.length - 1);
  }
}
