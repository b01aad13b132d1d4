import { suggestion } from '../base/nearest.ts';
import type { Catalogue } from '../component/component.ts';
import type { EdgeLabel } from './graph.ts';

/** Short names of steps, for types that have longer ones. All others are what the catalogue calls them. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ['http', 'http_request'],
  ['human', 'human_confirmation'],
]);

/** The type of a step; a name that nothing has stays as it is, for the check to say so. */
export function componentTypeOf(name: string, catalogue: Catalogue): string {
  return catalogue.has(name) ? name : (shortNames.get(name) ?? name);
}

/** A sentence's end that names the type which a short name stands for, or the nearest one; or nothing. */
export function typeSuggestion(
  name: string,
  catalogue: Catalogue,
  suggest: (word: string, candidates: Iterable<string>) => string = suggestion,
): string {
  const meant = [componentTypeOf(name, catalogue), triggerTypeOf(name, catalogue)].find((type) => catalogue.has(type));
  return suggest(meant ?? name, catalogue.keys());
}

/** The type of a trigger: `webhook` is `trigger_webhook`. */
export function triggerTypeOf(name: string, catalogue: Catalogue): string {
  const type = `trigger_${name}`;
  return catalogue.has(type) || !catalogue.has(name) ? type : name;
}

/** What fills a slot when its type is not said. */
export const usualTypes: ReadonlyMap<EdgeLabel, string> = new Map([
  ['llm', 'ai_model'],
  ['memory', 'conversation_memory'],
  ['output_parser', 'output_parser'],
]);
