import { describe, expect, test } from 'vitest';
import { checkedSave, decidedEdit } from './checked-save.ts';

/** A record that two people change. */
function newRecord() {
  const record: { stored: Record<string, unknown> } = { stored: { name: 'Old', description: '' } };
  const ports = {
    read: async () => record.stored,
    write: async (changes: Record<string, unknown>) => {
      record.stored = { ...record.stored, ...changes };
      return record.stored;
    },
  };
  return { record, ports, before: record.stored };
}

describe('two people who change the settings of one workflow', () => {
  test('both keep their changes of different fields', async () => {
    const { record, ports, before } = newRecord();
    await checkedSave(ports, { before, changes: { name: 'First' } });
    await checkedSave(ports, { before, changes: { description: 'Second' } });
    expect(record.stored).toEqual({ name: 'First', description: 'Second' });
  });

  test('decide about a field that both changed, and nothing is stored until then', async () => {
    for (const isMine of [true, false]) {
      const { record, ports, before } = newRecord();
      await checkedSave(ports, { before, changes: { name: 'First' } });
      const edit = { before, changes: { name: 'Second', description: 'Both' } };
      const outcome = await checkedSave(ports, edit);
      expect(record.stored).toEqual({ name: 'First', description: '' });
      if (outcome.kind !== 'contested') throw new Error('Nobody was asked.');
      expect(outcome.fields).toEqual([{ path: 'name', mine: 'Second', theirs: 'First' }]);
      await checkedSave(ports, decidedEdit(edit, outcome.fields, isMine));
      expect(record.stored).toEqual({ name: isMine ? 'Second' : 'First', description: 'Both' });
    }
  });

  test('are asked again if the field changes once more before the decision', async () => {
    const { record, ports, before } = newRecord();
    record.stored = { ...before, name: 'First' };
    const edit = { before, changes: { name: 'Second' } };
    const outcome = await checkedSave(ports, edit);
    record.stored = { ...before, name: 'Third' };
    if (outcome.kind !== 'contested') throw new Error('Nobody was asked.');
    const again = await checkedSave(ports, decidedEdit(edit, outcome.fields, true));
    expect(again).toMatchObject({ kind: 'contested', fields: [{ theirs: 'Third' }] });
    expect(record.stored.name).toBe('Third');
  });
});
