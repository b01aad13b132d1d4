import { suggestion } from '../base/nearest.ts';
import type { Catalogue } from '../component/component.ts';
import type { EdgeLabel } from './graph.ts';

/** Short names of steps whose types have longer names. All others use the name in the catalogue. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ['http', 'http_request'],
  ['human', 'human_confirmation'],
]);

/** The type of a step; an unknown name is returned unchanged, and the check reports it. */
export function componentTypeOf(name: string, catalogue: Catalogue): string {
  return catalogue.has(name) ? name : (shortNames.get(name) ?? name);
}

/** The end of a sentence that suggests the type for a short name, or the nearest type; or an empty text. */
export function typeSuggestion(
  name: string,
  catalogue: Catalogue,
  suggest: (word: string, candidates: Iterable<string>) => string = suggestion,
): string {
  const meant = [componentTypeOf(name, catalogue), triggerTypeOf(name, catalogue)].find((type) => catalogue.has(type));
  return meant === undefined ? suggest(name, catalogue.keys()) : ` Did you mean '${meant}'?`;
}

/** The type of a trigger: `webhook` is `trigger_webhook`. */
export function triggerTypeOf(name: string, catalogue: Catalogue): string {
  const type = `trigger_${name}`;
  return catalogue.has(type) || !catalogue.has(name) ? type : name;
}

/** The default type of a slot. */
export const usualTypes: ReadonlyMap<EdgeLabel, string> = new Map([
  ['llm', 'ai_model'],
  ['memory', 'conversation_memory'],
  ['output_parser', 'output_parser'],
]);
