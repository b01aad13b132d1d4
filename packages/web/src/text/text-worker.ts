import { type CanonicalTexts, mergedText } from './merge-text.ts';
import { type NodePlace, nodePlaces } from './node-places.ts';

/** A question to the worker. */
export type TextTask =
  | { readonly kind: 'merge'; readonly text: string; readonly canonical: CanonicalTexts }
  | { readonly kind: 'places'; readonly text: string };

/** A question with a number, which its answer has too. */
export interface TextRequest {
  readonly number: number;
  readonly task: TextTask;
}

/** The answer to a request. */
export interface TextAnswer {
  readonly number: number;
  readonly merged?: string | null;
  readonly places?: readonly NodePlace[];
}

/** The part of a worker's scope that this file uses: the types of the page do not contain it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<TextRequest>) => void) | null;
  postMessage(answer: TextAnswer): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data: { number, task } }) => {
  if (task.kind === 'merge') scope.postMessage({ number, merged: mergedText(task.text, task.canonical) });
  else scope.postMessage({ number, places: nodePlaces(task.text) });
};
