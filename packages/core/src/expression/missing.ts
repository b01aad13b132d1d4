import { jsonKind } from '../base/json-kind.ts';
import { keyCount } from '../base/key-count.ts';
import { suggestion } from '../base/nearest.ts';
import { isArray, isObject, type Json } from '../json.ts';
import type { ExpressionNode } from './ast.ts';
import type { Evaluation } from './evaluation.ts';
import { staticPath } from './static-path.ts';

/** Paths in messages are cut to this many characters: a longer one would hide the rest of the sentence. */
const shownLength = 200;

/** Objects with more keys than this get no suggestion: as many as `nearest` compares. */
const mostListedKeys = 2000;

/**
 * The reason why a node has no value. `object` is the value that the path was followed into; the node names a part of
 * it.
 */
export function reasonForMissing(node: ExpressionNode, object: Json | undefined, evaluation: Evaluation): string {
  const written = shown(evaluation.text.slice(node.offset, node.end));
  switch (node.kind) {
    case 'name':
    case 'member':
    case 'index': {
      const explained = explanation(node, evaluation);
      if (explained !== undefined) return `'${written}' does not exist: ${explained}.`;
      if (node.kind === 'name') {
        return `There is no '${written}' here.${suggestion(node.name, evaluation.scope.names())}`;
      }
      const reason = node.kind === 'member' ? noKey(node.key.name, object) : noItem(object);
      return `'${written}' does not exist: ${reason} If it may be missing, add '| default(…)'.`;
    }
    case 'filter':
      return `'${node.filter.name}' has no result here. If it may be missing, add '| default(…)'.`;
    default:
      return `'${written}' has no value.`;
  }
}

/** A text of the author, cut to the length that a message may have. */
export function shown(written: string): string {
  return written.length > shownLength ? `${written.slice(0, shownLength)}…` : written;
}

function explanation(node: ExpressionNode, evaluation: Evaluation): string | undefined {
  const path = staticPath(node)?.map((key) => key.name);
  return path && evaluation.scope.explain?.(path);
}

function noKey(key: string, object: Json | undefined): string {
  if (!isObject(object)) {
    const hint = isArray(object) ? ' Write [0] for an item of a list.' : '';
    return `${kindOf(object)} has no keys.${hint}`;
  }
  // Data may have far more keys than an author has written; listing them takes tens of milliseconds.
  const keys = keyCount(object) > mostListedKeys ? [] : Object.keys(object);
  // `headers.content-type` is a subtraction: the key must be written in brackets.
  const hyphenated = keys.find((candidate) => candidate.startsWith(`${key}-`));
  if (hyphenated !== undefined) return `the object has '${hyphenated}', which is written ['${hyphenated}'].`;
  return `the object has no '${shown(key)}'.${suggestion(key, keys)}`;
}

function noItem(object: Json | undefined): string {
  if (isArray(object))
    return `the list has ${object.length} ${object.length === 1 ? 'item' : 'items'}, counted from 0.`;
  if (typeof object === 'string') return 'the text has no such character.';
  if (isObject(object)) return 'the object has no such key; keys are text.';
  return `${kindOf(object)} has no items.`;
}

function kindOf(value: Json | undefined): string {
  return typeof value === 'boolean' ? 'a boolean' : jsonKind(value);
}
