import { describe, expect, it } from 'vitest';
import { type CommandHandlers, CommandRegistry } from './command-registry.ts';
import { type CommandId, commandGroups, commandIds, definitionOf } from './command-table.ts';
import { isSingleKey, type Press } from './keys.ts';

const canvas = { isTyping: false, isCanvas: true };
const page = { isTyping: false, isCanvas: false };
const field = { isTyping: true, isCanvas: false };

/** The press of the keys of a command. */
function pressOf(keys: string): Press {
  const parts = keys === '+' ? ['+'] : keys.split('+');
  return {
    key: parts.at(-1) ?? '',
    ctrlKey: parts.includes('Mod'),
    metaKey: false,
    shiftKey: parts.includes('Shift'),
    altKey: parts.includes('Alt'),
  };
}

/** A registry in which every command notes that it ran. */
function allCommands() {
  const ran: CommandId[] = [];
  const handlers = Object.fromEntries(commandIds.map((id) => [id, { run: () => void ran.push(id) }]));
  const registry = new CommandRegistry();
  registry.register(() => handlers as CommandHandlers);
  return { registry, ran };
}

describe('the table of commands', () => {
  it.each(commandIds)('%s has a title of its own, a group and keys that only it has', (id) => {
    const { title, group, keys = [] } = definitionOf(id);
    const others = commandIds.filter((other) => other !== id).map(definitionOf);
    expect(others.map((other) => other.title)).not.toContain(title);
    expect(commandGroups).toContain(group);
    for (const key of keys) expect(others.flatMap((other) => other.keys ?? [])).not.toContain(key);
  });

  it('runs a command by each of its keys, where they work', () => {
    const { registry } = allCommands();
    for (const id of commandIds) {
      const { keys = [], scope } = definitionOf(id);
      for (const key of keys) {
        expect(registry.pressed(pressOf(key), canvas, true)).toBe(id);
        expect(registry.pressed(pressOf(key), page, true)).toBe(scope === 'canvas' ? null : id);
        expect(registry.pressed(pressOf(key), field, true)).toBe(scope === 'everywhere' ? id : null);
      }
    }
  });

  it('has no single letter that works outside of the canvas', () => {
    const keys = commandIds.map(definitionOf).filter(({ scope }) => scope !== 'canvas');
    expect(keys.flatMap((one) => one.keys ?? []).filter((key) => /^[a-z0-9]$/i.test(key))).toEqual([]);
  });
});

it('ignores every single key while they are off, and no other keys', () => {
  const { registry } = allCommands();
  for (const id of commandIds) {
    for (const key of definitionOf(id).keys ?? []) {
      expect(registry.pressed(pressOf(key), canvas, false)).toBe(isSingleKey(key) ? null : id);
    }
  }
});

it('lists and runs only the commands that a part of the page performs now', () => {
  const registry = new CommandRegistry();
  const ran: string[] = [];
  let label: string | null = null;
  const remove = registry.register(() => ({
    'graph.undo': { run: () => void ran.push('undo'), isEnabled: label !== null, detail: label },
  }));
  expect([registry.available(), registry.run('graph.undo')]).toEqual([[], false]);
  label = 'Move 3 nodes';
  expect(registry.available()).toMatchObject([{ id: 'graph.undo', title: 'Undo', detail: 'Move 3 nodes' }]);
  expect(registry.run('graph.undo')).toBe(true);
  expect(registry.pressed(pressOf('Mod+Z'), page, true)).toBe('graph.undo');
  remove();
  expect(registry.pressed(pressOf('Mod+Z'), page, true)).toBeNull();
  expect(ran).toEqual(['undo']);
});

it('runs the newest handler of a command, and the one before when that part of the page is gone', () => {
  const registry = new CommandRegistry();
  const ran: string[] = [];
  registry.register(() => ({ 'run.start': { run: () => void ran.push('first') } }));
  const remove = registry.register(() => ({ 'run.start': { run: () => void ran.push('second') } }));
  registry.run('run.start');
  remove();
  registry.run('run.start');
  expect(ran).toEqual(['second', 'first']);
});
