import { noDraft } from '../../state/fields/field-draft.ts';
import { keyOf, type NodeDrafts } from '../../state/fields/field-drafts.ts';
import type { Field } from '../fields/field.ts';
import { hasPart } from '../fields/parts.ts';

/** A text that was typed into a part of a field, and that cannot be stored. */
interface LostText {
  readonly path: string;
  readonly text: string;
}

/** The texts in parts that a field does not show any more: an undo, or somebody else, has removed them. */
export function lostTexts(
  drafts: NodeDrafts,
  { key, field }: Pick<Field, 'key' | 'field'>,
  value: unknown,
): readonly LostText[] {
  return [...drafts.texts].flatMap(([path, { text }]) => {
    const isLost = path !== key && keyOf(path) === key && !hasPart(field, value, path.slice(key.length));
    return isLost ? [{ path, text: text ?? '' }] : [];
  });
}

/** Gives such a text up. */
export function discardText(drafts: NodeDrafts, path: string): void {
  drafts.setDraft(path, noDraft);
  drafts.end(keyOf(path));
}
