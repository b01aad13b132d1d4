// Runs in the measured page before its own scripts. `editor-probe.ts` calls what it defines.
globalThis.bench = {
  /** Resolves with the time at which the first cards were painted, in milliseconds since the navigation. */
  painted: null,
  /** Resolves with the milliseconds that `measureUntil` has measured. */
  took: null,
  keys: [],

  /** A fixed amount of work, in milliseconds: how fast the machine is at this moment. */
  work() {
    const start = performance.now();
    let sum = 0;
    for (let index = 0; index < 60_000_000; index += 1) sum = (sum + index * 31) | 0;
    return sum === 1 ? 0 : performance.now() - start;
  },

  /** Measures from the next event of a kind until what a selector finds is painted. */
  measureUntil(kind, selector) {
    bench.took = new Promise((resolve) => {
      const start = ({ timeStamp }) => {
        const check = () => {
          if (document.querySelector(selector) === null) requestAnimationFrame(check);
          else requestAnimationFrame((now) => resolve(Math.max(1, now - timeStamp)));
        };
        requestAnimationFrame(check);
      };
      addEventListener(kind, start, { capture: true, once: true });
    });
  },

  /** The point nearest to the middle of the canvas at which the front element is in one that the selector finds. */
  pointOn(selector) {
    const { left, top, width, height } = document.querySelector('.react-flow').getBoundingClientRect();
    const [middleX, middleY] = [left + width / 2, top + height / 2];
    for (let radius = 0; radius < height / 2 - 24; radius += 3) {
      for (let angle = 0; angle < 6.28; angle += 0.2) {
        const [x, y] = [middleX + radius * Math.cos(angle), middleY + radius * Math.sin(angle)];
        const front = document.elementFromPoint(x, y);
        const isControl = front?.closest('.react-flow__handle, button') != null;
        if (!isControl && front?.closest(selector) != null) return { x, y };
      }
    }
    return null;
  },

  /** A card in view that is not selected. */
  anotherCard() {
    const area = document.querySelector('.react-flow').getBoundingClientRect();
    const cards = [...document.querySelectorAll('.react-flow__node:not(.selected)')].flatMap((card) => {
      const { x, y, width, height, right, bottom } = card.getBoundingClientRect();
      const isInside = x > area.x + 60 && y > area.y + 40 && right < area.right - 240 && bottom < area.bottom - 200;
      return isInside ? [{ id: card.dataset.id, x: x + width / 2, y: y + height / 3 }] : [];
    });
    return cards[Math.floor(Math.random() * cards.length)] ?? null;
  },

  zoom() {
    return new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a;
  },

  count(selector) {
    return document.querySelectorAll(selector).length;
  },

  /** Notes the time of each key until its paint. Chromium reports it in steps of 8 ms, from 16 ms on. */
  watchKeys() {
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') bench.keys.push(duration);
    }).observe({ type: 'event', durationThreshold: 16 });
  },
};

bench.painted = new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (document.querySelector('.react-flow__node') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
  });
  observer.observe(document, { childList: true, subtree: true });
});
