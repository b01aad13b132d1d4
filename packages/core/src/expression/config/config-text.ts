import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import { ConfigPatterns } from './config-pattern.ts';

/**
 * How the texts of a component's config are read. A path is a key or goes deeper (`rules.*.field`); it covers
 * everything below it.
 */
export interface ConfigOptions {
  /** Paths whose text is an expression without `{{ }}` around it. */
  readonly bareExpressions?: readonly string[];
  /** Paths whose text is used unchanged. A path that is also under `bareExpressions` is not one of these. */
  readonly verbatim?: readonly string[];
  /** Paths whose text is a URL: the values of expressions in its path, query and fragment are percent-encoded. */
  readonly urls?: readonly string[];
}

/** How the text at a position of a config is read. */
export type TextForm = 'template' | 'bare' | 'verbatim' | 'url';

/** The current position of a walk through a config. */
export interface ConfigPlace {
  readonly form: TextForm;
  readonly bare: ConfigPatterns;
  readonly verbatim: ConfigPatterns;
  readonly urls: ConfigPatterns;
}

/** The position of the whole config. */
export function configRoot(options: ConfigOptions): ConfigPlace {
  return {
    form: 'template',
    bare: ConfigPatterns.of(options.bareExpressions),
    verbatim: ConfigPatterns.of(options.verbatim),
    urls: ConfigPatterns.of(options.urls),
  };
}

/** The position of an entry: by key in an object, by `*` in a list. */
function configEntry(place: ConfigPlace, key: string): ConfigPlace {
  const bare = place.bare.below(key);
  const verbatim = place.verbatim.below(key);
  const urls = place.urls.below(key);
  const form = formOf(place.form, { bare, verbatim, urls });
  const isSame = form === place.form && bare === place.bare && verbatim === place.verbatim && urls === place.urls;
  return isSame ? place : { form, bare, verbatim, urls };
}

function formOf(outer: TextForm, { bare, verbatim, urls }: Omit<ConfigPlace, 'form'>): TextForm {
  if (bare.matches) return 'bare';
  if (outer !== 'template') return outer;
  if (verbatim.matches) return 'verbatim';
  return urls.matches ? 'url' : outer;
}

/** Whether bare expression text is written with braces after all: no expression begins with two braces. */
export function hasBraces(text: string): boolean {
  return text.trimStart().startsWith('{{');
}

/** The entries of a list or object, each with its position. */
export function configEntries(value: readonly Json[] | JsonObject, place: ConfigPlace): [string, Json, ConfigPlace][] {
  if (isArray(value)) {
    const below = configEntry(place, '*');
    return value.map((item, index) => [String(index), item, below]);
  }
  return Object.entries(value).map(([key, item]) => [key, item, configEntry(place, key)]);
}

/** True for lists and objects. */
export function isContainer(value: Json): value is readonly Json[] | JsonObject {
  return isArray(value) || isObject(value);
}
