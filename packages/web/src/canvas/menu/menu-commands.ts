import type { CommandId } from '../../commands/command-table.ts';

/** What a context menu of the canvas is about. */
export type MenuSubject = 'node' | 'nodes' | 'connection' | 'canvas';

/** An opened menu: what it is about, and where it is on the screen. */
export interface OpenMenu {
  readonly subject: MenuSubject;
  readonly x: number;
  readonly y: number;
  /** The element that had the focus. */
  readonly before: HTMLElement | null;
}

/** The commands of each menu, in groups. Those that cannot be run now are left out. */
const groups: Readonly<Record<MenuSubject, readonly (readonly CommandId[])[]>> = {
  node: [
    ['node.open', 'node.rename'],
    ['run.toNode', 'run.onlyNode'],
    ['node.connect', 'node.disconnect'],
    ['node.toggle', 'node.copy', 'node.cut', 'node.duplicate', 'node.group'],
    ['view.fitSelection'],
    ['node.delete'],
  ],
  nodes: [
    ['node.toggle', 'node.copy', 'node.cut', 'node.duplicate', 'node.group'],
    ['view.fitSelection', 'graph.layout'],
    ['align.left', 'align.centre', 'align.right'],
    ['align.top', 'align.middle', 'align.bottom'],
    ['distribute.x', 'distribute.y'],
    ['node.delete'],
  ],
  connection: [['connection.insert'], ['node.delete']],
  canvas: [
    ['node.add', 'graph.paste', 'node.find'],
    ['graph.selectAll', 'graph.layout', 'view.fit'],
    ['graph.undo', 'graph.redo'],
  ],
};

/** The groups of a menu that have commands now. */
export function menuGroups(subject: MenuSubject, available: ReadonlySet<CommandId>): readonly (readonly CommandId[])[] {
  return groups[subject].map((ids) => ids.filter((id) => available.has(id))).filter((ids) => ids.length > 0);
}
