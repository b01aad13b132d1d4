import type { CancelTimer, Timers } from '../ground/clock.ts';
import type { Store } from '../store/store.ts';

/** Four times a second: what a command revoked is refused within half a second, and a look takes microseconds. */
const everyMs = 250;

/** Looks again and again whether another process changed the store, as the commands do. Returns what ends that. */
export function watchOthers(store: Pick<Store, 'noticeOthers'>, timers: Timers): () => void {
  let cancel: CancelTimer = () => undefined;
  let isEnded = false;
  const goOn = (): void => {
    if (!isEnded) cancel = timers.after(everyMs, look);
  };
  // A database that cannot be read now is everybody's trouble, and said elsewhere.
  const look = (): void => void store.noticeOthers().then(goOn, goOn);
  goOn();
  return () => {
    isEnded = true;
    cancel();
  };
}
