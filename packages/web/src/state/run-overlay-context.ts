import { createContext, useContext, useSyncExternalStore } from 'react';
import { type Iterations, type NodeRun, RunOverlay, type WatchedRun } from './run-overlay.ts';

const nextFrame = (fn: () => void): void => void requestAnimationFrame(fn);

/** The overlay of one editor. */
export function newRunOverlay(): RunOverlay {
  return new RunOverlay(nextFrame);
}

export const RunOverlayContext = createContext<RunOverlay>(newRunOverlay());

/** The state of a node in the watched execution; undefined if it has not been reached. */
export function useNodeRun(nodeId: string): NodeRun | undefined {
  const overlay = useContext(RunOverlayContext);
  return useSyncExternalStore(
    (changed) => overlay.subscribe(changed),
    () => overlay.node(nodeId),
  );
}

/** Why the output of a node in the watched execution is out of date; undefined if it is not. */
export function useStale(nodeId: string): string | undefined {
  const overlay = useContext(RunOverlayContext);
  return useSyncExternalStore(
    (changed) => overlay.subscribe(changed),
    () => overlay.stale(nodeId),
  );
}

/** The watched execution; null if there is none. */
export function useWatchedRun(): WatchedRun | null {
  const overlay = useContext(RunOverlayContext);
  return useSyncExternalStore(
    (changed) => overlay.subscribe(changed),
    () => overlay.run,
  );
}

/** The loop of the watched execution whose iterations can be shown; null if none has begun. */
export function useIterations(): Iterations | null {
  const overlay = useContext(RunOverlayContext);
  return useSyncExternalStore(
    (changed) => overlay.subscribe(changed),
    () => overlay.iterations,
  );
}

/** The number of nodes whose output was pinned in the watched execution. */
export function usePins(): number {
  const overlay = useContext(RunOverlayContext);
  return useSyncExternalStore(
    (changed) => overlay.subscribe(changed),
    () => overlay.pins,
  );
}
