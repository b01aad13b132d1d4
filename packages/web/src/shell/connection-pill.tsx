import { WifiOff } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { live } from '../api/live.ts';

/** Shows that live updates are paused, and nothing while they arrive. */
export function ConnectionPill() {
  const state = useSyncExternalStore(
    (changed) => live.watch(changed),
    () => live.state,
  );
  useEffect(() => {
    const retry = () => live.retryNow();
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, []);
  if (state.kind !== 'paused') return null;
  return (
    <div role="status">
      <button
        type="button"
        onClick={() => live.retryNow()}
        className="flex w-full items-center gap-2 rounded-control bg-warning-soft px-2 py-1.5 text-left text-[12px]"
      >
        <WifiOff size={16} className="shrink-0 text-warning" aria-hidden="true" />
        Live updates paused. Retry now
      </button>
    </div>
  );
}
