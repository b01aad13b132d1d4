import { createContext, useContext, useSyncExternalStore } from 'react';
import { type NodeRun, RunOverlay, type WatchedRun } from './run-overlay.ts';

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

/** The watched execution; null if there is none. */
export function useWatchedRun(): WatchedRun | null {
  const overlay = useContext(RunOverlayContext);
  return useSyncExternalStore(
    (changed) => overlay.subscribe(changed),
    () => overlay.run,
  );
}
