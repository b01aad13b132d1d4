import { expect, test } from 'vitest';
import { FieldDrafts } from '../../state/fields/field-drafts.ts';
import { dividedEdits, editField } from './edit-field.ts';
import { FormEdits } from './form-edits.ts';
import { fields } from './typing.testkit.ts';

function setUp() {
  const drafts = new FieldDrafts().of({ id: 1, node_id: 'a', component_type: 'template' });
  const edits = new FormEdits({ after: () => () => {}, store: () => [], drafts });
  const field = (key: string) => fields.find((one) => one.key === key) ?? expect.unreachable();
  const edit = (key: string, value: unknown, stored: unknown) =>
    editField({ edits, drafts }, field(key), { value, stored });
  const divided = (stored: Readonly<Record<string, unknown>>) => {
    const { free, contested } = dividedEdits(edits.getShown(), drafts, { fields, stored });
    return { free: Object.fromEntries(free), contested: Object.fromEntries(contested) };
  };
  return { drafts, edits, edit, divided };
}

test('a value that changed since its typing began is not overwritten', () => {
  const { edit, divided } = setUp();
  edit('url', 'mine', 'before');
  edit('prompt', 'mine too', undefined);
  edit('url', 'mine, longer', 'theirs');
  expect(divided({ url: 'theirs' })).toEqual({
    free: { 'extra_config.prompt': 'mine too' },
    contested: { 'extra_config.url': 'mine, longer' },
  });
});

test('what is stored is the beginning of what is typed next', () => {
  const { edit, divided } = setUp();
  edit('url', 'one', 'before');
  divided({ url: 'before' });
  edit('url', 'two', 'one');
  expect(divided({ url: 'one' }).contested).toEqual({});
});

test('a text that was given up is forgotten', () => {
  const { drafts, edit } = setUp();
  edit('url', 'mine', 'before');
  edit('url', 'before', 'before');
  expect([...drafts.bases]).toEqual([]);
});
