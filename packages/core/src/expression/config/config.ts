import { runThrough, type SlicedWork } from '../../base/meter.ts';
import { isArray, type Json, type JsonObject } from '../../json.ts';
import type { EvaluateOptions } from '../evaluate.ts';
import { Evaluation } from '../evaluation.ts';
import { ExpressionError, inConfig, placeAt } from '../expression-error.ts';
import { configFuel, maxConfigDepth, maxConfigErrors, maxConfigExpressions } from '../limits.ts';
import { parseExpression } from '../parse.ts';
import type { Scope } from '../scope.ts';
import { setOwn } from '../set-own.ts';
import {
  type ConfigOptions,
  type ConfigPlace,
  configEntries,
  configRoot,
  hasBraces,
  isContainer,
} from './config-text.ts';
import { renderWithSecrets, type SecretVariables } from './secret-variables.ts';
import { expressionsIn, parseTemplate, renderIn, type Template, tooManyExpressions } from './template.ts';
import { urlTemplate } from './url-template.ts';

/** A text with expressions and its path in the config, e.g. `fields.total` or `rules[0].value`. */
export interface ConfigText {
  readonly kind: 'text';
  readonly path: string;
  readonly template: Template;
}

/** A list or object that contains expressions. All its other entries are copied from the source unchanged. */
export interface ConfigBranch {
  readonly kind: 'list' | 'object';
  readonly source: readonly Json[] | JsonObject;
  readonly dynamic: readonly (readonly [key: string, node: ConfigNode])[];
}

export type ConfigNode = ConfigText | ConfigBranch;

/** A config with parsed expressions: compiled once for each version of a workflow, resolved before each step. */
export interface CompiledConfig {
  /** No expressions: it resolves to `source`, the identical object. */
  readonly isStatic: boolean;
  readonly source: Json;
  readonly root: ConfigNode | undefined;
}

export interface CompileOptions extends ConfigOptions {
  /**
   * Called for each error instead of throwing the first; the invalid expression stays text. For checks that list
   * errors. After too many errors or expressions all other texts stay text.
   */
  readonly onError?: (error: ExpressionError) => void;
}

/**
 * Parses all expressions of a config document.
 * @throws ExpressionError that names the path in the config
 */
export function compileConfig(config: Json, options: CompileOptions = {}): CompiledConfig {
  const root = compile(config, {
    path: '',
    depth: 0,
    place: configRoot(options),
    findings: new Findings(options.onError),
  });
  return { isStatic: root === undefined, source: config, root };
}

interface Position {
  readonly path: string;
  readonly depth: number;
  readonly place: ConfigPlace;
  readonly findings: Findings;
}

/** Counts what is found in one config, and throws or reports errors. */
class Findings {
  readonly onError: CompileOptions['onError'];
  #errors = 0;
  #expressions = 0;

  constructor(onError: CompileOptions['onError']) {
    this.onError = onError;
  }

  /** Whether all other texts stay text: there is nothing more to report. */
  get areEnough(): boolean {
    return this.#errors > maxConfigErrors || this.#expressions > maxConfigExpressions;
  }

  addError(error: unknown): void {
    if (this.onError === undefined || !(error instanceof ExpressionError)) throw error;
    this.#errors += 1;
    this.onError(error);
  }

  /** @throws ExpressionError if there are too many */
  addExpressions(template: Template): void {
    this.#expressions += expressionsIn(template).length;
    if (this.#expressions > maxConfigExpressions) throw tooManyExpressions(template.text);
  }
}

/** The node for a value, or undefined if the value contains nothing to evaluate. */
function compile(value: Json, position: Position): ConfigNode | undefined {
  if (position.place.form === 'verbatim' && !position.place.bare.isSomewhere) return undefined;
  if (typeof value === 'string') return position.place.form === 'verbatim' ? undefined : compileText(value, position);
  if (!isContainer(value)) return undefined;
  if (position.depth === maxConfigDepth) {
    throw new ExpressionError(`A config nests at most ${maxConfigDepth} deep.`, placeAt('', 0), position.path);
  }
  const isList = isArray(value);
  const dynamic: [string, ConfigNode][] = [];
  for (const [key, item, place] of configEntries(value, position.place)) {
    const path = isList ? `${position.path}[${key}]` : joinPath(position.path, key);
    const node = compile(item, { ...position, path, depth: position.depth + 1, place });
    if (node !== undefined) dynamic.push([key, node]);
  }
  return dynamic.length === 0 ? undefined : { kind: isList ? 'list' : 'object', source: value, dynamic };
}

function compileText(text: string, { path, place, findings }: Position): ConfigText | undefined {
  if (findings.areEnough) return undefined;
  const report = (error: unknown): void => findings.addError(inConfig(error, path));
  try {
    const each = findings.onError && report;
    const template = parseAs(place.form, text, each);
    findings.addExpressions(template);
    return template.kind === 'static' ? undefined : { kind: 'text', path, template };
  } catch (error) {
    report(error);
    return undefined;
  }
}

function parseAs(form: ConfigPlace['form'], text: string, onError?: (error: unknown) => void): Template {
  if (form === 'bare') return parseBare(text, onError);
  const template = parseTemplate(text, onError);
  return form === 'url' ? urlTemplate(template) : template;
}

function parseBare(text: string, onError: ((error: unknown) => void) | undefined): Template {
  if (hasBraces(text)) return parseTemplate(text, onError);
  return { kind: 'expression', text, expression: parseExpression(text) };
}

/** A key that is not a plain name is shown in brackets: `headers["X-Id"]`. */
function joinPath(path: string, key: string): string {
  if (!/^\w+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/**
 * The config with its expressions replaced by their values. Parts without expressions are shared with the source.
 * @throws ExpressionError that names the path in the config
 */
export function resolveConfig(compiled: CompiledConfig, scope: Scope, options: ResolveOptions = {}): Json {
  return runThrough(resolvingConfig(compiled, scope, options));
}

/** The same with a pause after each text that has expressions. */
export function* resolvingConfig(
  compiled: CompiledConfig,
  scope: Scope,
  options: ResolveOptions = {},
): SlicedWork<Json> {
  if (compiled.root === undefined) return compiled.source;
  const evaluation = new Evaluation(scope, options.fuel ?? configFuel, options);
  return yield* resolve(compiled.root, { evaluation, secrets: options.secrets });
}

/** What may be used besides the scope. */
export interface ResolveOptions extends EvaluateOptions {
  /** Left out where a run has no secret variables. */
  readonly secrets?: SecretVariables | undefined;
}

interface Resolving {
  readonly evaluation: Evaluation;
  readonly secrets: SecretVariables | undefined;
}

function* resolve(node: ConfigNode, resolving: Resolving): SlicedWork<Json> {
  if (node.kind === 'text') {
    const value = resolveText(node, resolving);
    yield;
    return value;
  }
  if (isArray(node.source)) {
    const copy = [...node.source];
    for (const [index, child] of node.dynamic) copy[Number(index)] = yield* resolve(child, resolving);
    return copy;
  }
  const copy: Record<string, Json> = { ...node.source };
  for (const [key, child] of node.dynamic) setOwn(copy, key, yield* resolve(child, resolving));
  return copy;
}

function resolveText(node: ConfigText, { evaluation, secrets }: Resolving): Json {
  const { template } = node;
  try {
    if (secrets === undefined) return renderIn(evaluation, template);
    return renderWithSecrets(evaluation, node, (fill) => renderIn(evaluation, template, fill), secrets);
  } catch (error) {
    throw inConfig(error, node.path);
  }
}

/** All texts with expressions of a config, in document order, for checks of the names they use. */
export function configTexts(compiled: CompiledConfig): readonly ConfigText[] {
  return compiled.root === undefined ? [] : textsIn(compiled.root);
}

function textsIn(node: ConfigNode): readonly ConfigText[] {
  return node.kind === 'text' ? [node] : node.dynamic.flatMap(([, child]) => textsIn(child));
}
