import { Meter, runThrough } from '@millrace/core';
import type { AskModel } from '../../src/models/model-calls.ts';

type ModelCaller = Parameters<AskModel>[1];

/** The caller of a model in tests, which does all work without a pause. */
export function modelCaller(parts: Partial<ModelCaller> = {}): ModelCaller {
  return {
    signal: new AbortController().signal,
    meter: new Meter(() => 0),
    inSlices: runThrough,
    continued: (operation) => operation,
    perform: (act) => act(),
    ...parts,
  };
}
