import { describe, expect, test } from 'vitest';
import { noDraft } from './field-draft.ts';
import { FieldDrafts } from './field-drafts.ts';
import { localFields } from './stored-fields.ts';

const owner = { id: 7, node_id: 'answer', component_type: 'respond' };
const broken = { ...noDraft, mode: 'value', text: '{"a"', problem: 'Must be JSON.' } as const;

/** The texts that a browser stores. */
function newTexts() {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  };
}

describe('what is typed and cannot be stored', () => {
  test('survives the page, each field with its reason', () => {
    const storage = newTexts();
    const tab = { workflowId: 1, tab: 'tab' };
    const drafts = new FieldDrafts(localFields(storage, tab)).of(owner);
    drafts.setDraft('body', broken);
    drafts.hold('extra_config.headers', { value: { a: '{{' }, reason: 'An expression is not closed.' });
    drafts.begin('body', undefined);
    drafts.begin('headers', null);
    drafts.setDraft('body', { ...broken });
    const later = new FieldDrafts(localFields(storage, tab));
    expect([...later.of(owner).bases]).toEqual([
      ['body', undefined],
      ['headers', null],
    ]);
    expect(later.getUnsaved()).toEqual([
      { owner, path: 'body', problem: 'Must be JSON.' },
      { owner, path: 'headers', problem: 'An expression is not closed.' },
    ]);
    expect(later.of(owner).draft('body')).toEqual(broken);
    later.of(owner).setDraft('body', noDraft);
    later.of(owner).hold('extra_config.headers', null);
    expect(storage.texts.size).toBe(0);
  });

  test('belongs to its node, also after that was renamed or got another id', () => {
    const fields = new FieldDrafts();
    fields.of(owner).setDraft('body', broken);
    expect(fields.of({ ...owner, node_id: 'reply' }).draft('body')).toBe(broken);
    expect(fields.of({ ...owner, id: 8, node_id: 'reply' }).draft('body')).toBe(broken);
    expect(fields.of({ ...owner, id: 9, node_id: 'other' }).draft('body')).toBe(noDraft);
  });

  test('does not belong to a new node with the name of an earlier one', () => {
    const fields = new FieldDrafts();
    fields.of(owner).setDraft('body', broken);
    fields.forget('answer');
    expect(fields.of({ ...owner, id: 9 }).draft('body')).toBe(noDraft);
  });

  test('begins with what an undo has stored, also after the page was left', () => {
    const storage = newTexts();
    const tab = { workflowId: 1, tab: 'tab' };
    const fields = new FieldDrafts(localFields(storage, tab));
    const drafts = fields.of(owner);
    drafts.begin('body', 'before');
    drafts.setDraft('body', broken);
    drafts.begin('url', 'before');
    fields.restart((_owner, key) => `${key} after the undo`);
    expect([...drafts.bases]).toEqual([['body', 'body after the undo']]);
    expect([...new FieldDrafts(localFields(storage, tab)).of(owner).bases]).toEqual([...drafts.bases]);
  });

  test('follows the items of a list', () => {
    const drafts = new FieldDrafts().of(owner);
    drafts.setDraft('fields[0].min', broken);
    drafts.setDraft('fields[2].min', { ...broken, text: 'x' });
    drafts.arrange('fields', [2, 0]);
    expect(drafts.draft('fields[0].min').text).toBe('x');
    expect(drafts.draft('fields[1].min').text).toBe(broken.text);
    expect(drafts.draft('fields[2].min')).toBe(noDraft);
  });
});
