import { expect, test } from 'vitest';
import { menuGroups } from './menu-commands.ts';

test('a menu has only the commands that can be run now, and no empty group', () => {
  expect(menuGroups('node', new Set(['node.delete', 'node.rename', 'graph.undo']))).toEqual([
    ['node.rename'],
    ['node.delete'],
  ]);
  expect(menuGroups('connection', new Set(['graph.undo']))).toEqual([]);
});
