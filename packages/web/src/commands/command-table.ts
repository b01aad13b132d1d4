/** Where the keys of a command work. Its buttons and the palette work everywhere. */
type Scope =
  /** Also in fields. */
  | 'everywhere'
  /** Outside of fields: keys are text there, and a field has its own undo. */
  | 'page'
  /** While the canvas has the focus. */
  | 'canvas';

/** The headings of the shortcuts sheet and of the palette, in this order. */
export const commandGroups = [
  'General',
  'Pages',
  'Workflow',
  'View',
  'Graph',
  'Selected node',
  'Move the focus',
] as const;
export type CommandGroup = (typeof commandGroups)[number];

/** An action of the app. The part of the app that performs it registers a handler under its id. */
export interface CommandDefinition {
  readonly title: string;
  readonly group: CommandGroup;
  readonly scope: Scope;
  /** `Mod+Shift+L`; `Mod` is Ctrl, or Cmd on a Mac. The first one is shown on buttons. */
  readonly keys?: readonly string[];
  /** Not listed in the palette, because it means nothing there: the palette has the focus itself. */
  readonly isKeyOnly?: true;
}

const page = (title: string): CommandDefinition => ({ title, group: 'Pages', scope: 'page' });

const workflow = (title: string, ...keys: string[]): CommandDefinition => {
  return { title, group: 'Workflow', scope: 'page', keys };
};

const graph = (title: string, ...keys: string[]): CommandDefinition => {
  return { title, group: 'Graph', scope: 'canvas', keys };
};

const view = (title: string, ...keys: string[]): CommandDefinition => {
  return { title, group: 'View', scope: 'canvas', keys };
};

const node = (title: string, ...keys: string[]): CommandDefinition => {
  return { title, group: 'Selected node', scope: 'canvas', keys };
};

const focus = (title: string, ...keys: string[]): CommandDefinition => {
  return { title, group: 'Move the focus', scope: 'canvas', keys, isKeyOnly: true };
};

const move = (title: string, ...keys: string[]): CommandDefinition => ({ ...node(title, ...keys), isKeyOnly: true });

/** Every command: buttons, menus, the palette, the shortcuts sheet and the keys all read this table. */
export const commandTable = {
  'palette.open': { title: 'Search and run commands', group: 'General', scope: 'everywhere', keys: ['Mod+K'] },
  'shortcuts.show': { title: 'Show keyboard shortcuts', group: 'General', scope: 'page', keys: ['?'] },
  'shortcuts.toggle': { title: 'Turn single-key shortcuts on or off', group: 'General', scope: 'page' },
  'theme.system': { title: 'Use the theme of the system', group: 'General', scope: 'page' },
  'theme.light': { title: 'Use the light theme', group: 'General', scope: 'page' },
  'theme.dark': { title: 'Use the dark theme', group: 'General', scope: 'page' },
  'session.logOut': { title: 'Log out', group: 'General', scope: 'page' },

  'go.workflows': page('Workflows'),
  'go.newWorkflow': page('New workflow'),
  'go.runs': page('Runs'),
  'go.inbox': page('Inbox'),
  'go.schedules': page('Schedules'),
  'go.credentials': page('Credentials'),
  'go.trash': page('Trash'),
  'go.apiDocs': page('API documentation'),

  'run.start': { title: 'Run', group: 'Workflow', scope: 'everywhere', keys: ['Mod+Enter'] },
  'run.payload': workflow('Run with payload…'),
  'run.again': workflow('Run with the last payload'),
  'run.toNode': {
    title: 'Run to the selected node',
    group: 'Workflow',
    scope: 'everywhere',
    keys: ['Mod+Shift+Enter'],
  },
  'run.onlyNode': workflow('Run only the selected node'),
  'run.listen': workflow('Listen for one webhook call'),
  'run.chat': workflow('Open chat'),
  'version.publish': workflow('Publish…'),
  'graph.undo': workflow('Undo', 'Mod+Z'),
  'graph.redo': workflow('Redo', 'Mod+Shift+Z', 'Mod+Y'),
  'problems.show': workflow('Show or hide the problems'),
  'problems.next': workflow('Go to the next problem', 'F8'),
  'problems.previous': workflow('Go to the previous problem', 'Shift+F8'),
  'workflow.triggers': workflow('Triggers of this workflow'),
  'workflow.versions': workflow('Versions of this workflow'),
  'workflow.usage': workflow('Usage of models of this workflow'),

  'view.canvas': { title: 'Show the canvas', group: 'View', scope: 'page' },
  'view.outline': { title: 'Show the outline', group: 'View', scope: 'page' },
  'view.text': { title: 'Show or hide the YAML text', group: 'View', scope: 'everywhere', keys: ['Mod+\\'] },
  'view.fit': view('Fit the whole graph', '1'),
  'view.fitSelection': view('Fit the selected nodes', '2'),
  'view.actualSize': view('Zoom to 100 %', '0'),
  'view.zoomIn': view('Zoom in', '+', '='),
  'view.zoomOut': view('Zoom out', '-'),

  'node.add': graph('Add a node', 'A'),
  'node.find': graph('Find a node', '/'),
  'graph.paste': graph('Paste'),
  'connection.insert': graph('Insert a node into the selected connection'),
  'graph.selectAll': graph('Select all nodes', 'Mod+A'),
  'graph.layout': graph('Lay out the nodes', 'Mod+Shift+L'),

  'align.left': graph('Align the selected nodes left'),
  'align.centre': graph('Align the selected nodes at their centres'),
  'align.right': graph('Align the selected nodes right'),
  'align.top': graph('Align the selected nodes at the top'),
  'align.middle': graph('Align the selected nodes at their middles'),
  'align.bottom': graph('Align the selected nodes at the bottom'),
  'distribute.x': graph('Distribute the selected nodes horizontally'),
  'distribute.y': graph('Distribute the selected nodes vertically'),

  'node.open': node('Open the settings', 'Enter'),
  'node.rename': node('Rename', 'F2'),
  'node.connect': node('Connect…', 'C'),
  'node.disconnect': node('Disconnect…', 'X'),
  'node.delete': node('Delete', 'Delete', 'Backspace'),
  'node.toggle': node('Disable or enable', 'D'),
  'node.copy': node('Copy'),
  'node.cut': node('Cut'),
  'node.duplicate': node('Duplicate', 'Mod+D'),
  'node.group': node('Group', 'Mod+G'),
  'move.left': move('Move left by 8 px', 'Alt+ArrowLeft'),
  'move.right': move('Move right by 8 px', 'Alt+ArrowRight'),
  'move.up': move('Move up by 8 px', 'Alt+ArrowUp'),
  'move.down': move('Move down by 8 px', 'Alt+ArrowDown'),
  'move.farLeft': move('Move left by 64 px', 'Alt+Shift+ArrowLeft'),
  'move.farRight': move('Move right by 64 px', 'Alt+Shift+ArrowRight'),
  'move.farUp': move('Move up by 64 px', 'Alt+Shift+ArrowUp'),
  'move.farDown': move('Move down by 64 px', 'Alt+Shift+ArrowDown'),

  'focus.downstream': focus('Next node along a connection', 'ArrowRight'),
  'focus.upstream': focus('Previous node along a connection', 'ArrowLeft'),
  'focus.previousSibling': focus('Node above, from the same source', 'ArrowUp'),
  'focus.nextSibling': focus('Node below, from the same source', 'ArrowDown'),
  'focus.first': focus('First node', 'Home'),
  'focus.last': focus('Last node', 'End'),
  'focus.next': focus('Next node in the order of the graph', 'PageDown'),
  'focus.previous': focus('Previous node in the order of the graph', 'PageUp'),
  'focus.leave': focus('Close the settings, or clear the selection', 'Escape'),
} as const satisfies Readonly<Record<string, CommandDefinition>>;

export type CommandId = keyof typeof commandTable;

export const commandIds = Object.keys(commandTable) as readonly CommandId[];

export function definitionOf(id: CommandId): CommandDefinition {
  return commandTable[id];
}
