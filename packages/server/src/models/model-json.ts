import { type Json, type JsonLimits, type Meter, receivedJson, type SlicedWork } from '@millrace/core';

/** Values in the JSON of a provider. An answer has some dozen; a list of a thousand models has some thousand. */
const maxModelValues = 50_000;

const limits: JsonLimits = {
  depth: 64,
  values: maxModelValues,
  containers: maxModelValues,
  names: maxModelValues,
  stringLength: Number.POSITIVE_INFINITY,
};

/** The JSON of a provider; undefined for text that is not JSON, and for JSON with too many or too deep values. */
export function* modelJson(text: string, meter?: Meter): SlicedWork<Json | undefined> {
  const received = yield* receivedJson(text, { limits, meter });
  return received.kind === 'value' ? received.value : undefined;
}
