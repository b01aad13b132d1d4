import { type Json, textStart } from '@millrace/core';
import { z } from 'zod';
import type { ListedModel } from './curated-models.ts';

/** A provider with more models is an aggregator, whose whole list nobody reads. */
const maxModels = 1000;
/** Longer texts are not model names. */
const maxIdLength = 256;

const entries = z.object({ data: z.array(z.unknown()) });
const entry = z.object({ id: z.string(), name: z.string().optional().catch(undefined) });

/** The models in an answer of `/models`, by id, without duplicates; null if it is not such an answer. */
export function modelsIn(body: Json): readonly ListedModel[] | null {
  const parsed = entries.safeParse(body);
  if (!parsed.success) return null;
  const found = new Map<string, ListedModel>();
  for (const item of parsed.data.data) {
    const model = modelOf(item);
    if (model !== null && !found.has(model.id)) found.set(model.id, model);
  }
  return [...found.values()].sort(byId).slice(0, maxModels);
}

function modelOf(item: unknown): ListedModel | null {
  const parsed = entry.safeParse(item);
  if (!parsed.success) return null;
  const id = printable(parsed.data.id);
  if (id === '' || id.length > maxIdLength) return null;
  const name = textStart(printable(parsed.data.name ?? ''), maxIdLength);
  return { id, name: name === '' ? id : name };
}

/** Without characters that control terminals or the direction of text. */
function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
}

/** By code point: the same order everywhere. */
function byId(left: ListedModel, right: ListedModel): number {
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}
