import { type LayoutTask, layoutOf } from './layout.ts';

/** The part of a worker's scope that this file uses: the types of the page do not contain it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutTask>) => void) | null;
  postMessage(places: ReturnType<typeof layoutOf>): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data }) => scope.postMessage(layoutOf(data));
