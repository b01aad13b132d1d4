/** Time and randomness in a workflow test: a fixed time and reproducible random numbers. */

/** A script that creates a date without arguments gets this time. @param {number} now */
function stopTime(now) {
  const asked = new Proxy(Date, {
    apply: () => new Date(now).toString(),
    construct: (target, given, asWhat) => Reflect.construct(target, given.length === 0 ? [now] : given, asWhat),
  });
  Date.now = () => now;
  Date.prototype.constructor = asked;
  globalThis.Date = /** @type {DateConstructor} */ (asked);
  // Without a date both use the clock.
  const { prototype } = Intl.DateTimeFormat;
  const { formatToParts } = prototype;
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')?.get;
  Object.defineProperty(prototype, 'format', {
    get() {
      const write = format?.call(this);
      return (/** @type {unknown} */ date = now) => write(date);
    },
  });
  prototype.formatToParts = function parts(date = now) {
    return formatToParts.call(this, date);
  };
}

/** Mulberry32: 32 bits of state are enough for numbers that only have to look random. @param {number} seed */
function drawFrom(seed) {
  let state = seed;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {number} now @param {number} seed */
export function enter(now, seed) {
  stopTime(now);
  drawFrom(seed);
}
