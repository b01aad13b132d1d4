import { LiveConnection } from '@millrace/client';

/** The WebSocket of this page; the session cookie authenticates it. */
export const live = new LiveConnection({
  open: () => new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/`),
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
});
