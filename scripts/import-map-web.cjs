/** The folders of the web app, as part of the map in `import-map.cjs`. */
const webFolders = {
  'packages/web/src': {
    storage: { does: 'what the browser stores: the texts of one user, and settings of the device', imports: [] },
    ui: {
      does: 'the look of the app: buttons, fields, notices, texts for times; knows no workflow',
      imports: ['storage'],
    },
    api: { does: 'what is read from the service and sent to it, through the client', imports: ['storage'] },
    state: { does: 'the graph that is edited, and its changes', imports: ['api', 'storage'] },
    commands: {
      does: 'commands: their keys, the palette, the sheet of shortcuts; each part of a page registers those it performs',
      imports: ['api', 'ui', 'storage'],
    },
    canvas: { does: 'the graph as cards and lines', imports: ['api', 'state', 'ui', 'commands'] },
    code: { does: 'fields for code, JSON and text with expressions', imports: ['ui'] },
    panel: {
      does: 'the selected node: its form and its documentation',
      imports: ['api', 'state', 'code', 'values', 'ui', 'commands', 'conversation'],
    },
    values: { does: 'values: trees of JSON, differences, copying, saving as files', imports: ['ui'] },
    conversation: {
      does: 'what an agent did: the calls of its model and its tools, and their approval',
      imports: ['api', 'state', 'ui', 'values', 'inbox'],
    },
    runs: {
      does: 'executions: their steps and their values',
      imports: ['api', 'state', 'ui', 'values', 'conversation'],
    },
    chat: {
      does: 'conversations with a workflow',
      imports: ['api', 'state', 'ui', 'values', 'storage', 'inbox', 'conversation'],
    },
    credentials: {
      does: 'credentials: their forms, tests, models and uses',
      imports: ['api', 'ui', 'values', 'storage', 'edits'],
    },
    inbox: { does: 'open questions to people, and answering them', imports: ['api', 'ui', 'values'] },
    start: {
      does: 'starting a workflow: payloads, samples, captured calls',
      imports: ['api', 'state', 'ui', 'values', 'commands', 'storage'],
    },
    editor: {
      does: 'the frame of the editor: saving, undo, conflicts, messages for screen readers',
      imports: ['api', 'state', 'ui', 'commands', 'canvas', 'edits'],
    },
    outline: { does: 'the graph as a tree', imports: ['api', 'state', 'ui', 'commands', 'canvas'] },
    text: { does: 'the workflow as YAML, beside the canvas', imports: ['api', 'code', 'state', 'ui'] },
    versions: {
      does: 'how versions differ, and publishing',
      imports: ['api', 'state', 'ui', 'values', 'commands'],
    },
    triggers: { does: 'webhooks and schedules of a workflow', imports: ['api', 'state', 'ui', 'values', 'canvas'] },
    workflows: {
      does: 'the list of workflows: filters, actions for one and for several',
      imports: ['api', 'state', 'ui', 'values', 'triggers'],
    },
    edits: { does: 'edits of a record that several people change, and their conflicts', imports: ['ui'] },
    variables: {
      does: 'variables of a workflow or of the instance, plain and secret',
      imports: ['api', 'ui', 'edits'],
    },
    memory: { does: 'what workflows remember: lists, searches, changes', imports: ['api', 'ui', 'variables', 'edits'] },
    usage: { does: 'what the models of a workflow used, by day, node and model', imports: ['api'] },
    settings: {
      does: 'settings of a workflow, of an account and of the instance',
      imports: ['api', 'ui', 'values', 'edits'],
    },
    shell: {
      does: 'the frame of the pages: navigation, account, connection',
      imports: ['api', 'state', 'ui', 'commands'],
    },
    pages: {
      does: 'one file per page',
      imports: [
        'api',
        'state',
        'ui',
        'values',
        'commands',
        'canvas',
        'panel',
        'conversation',
        'runs',
        'start',
        'chat',
        'credentials',
        'inbox',
        'editor',
        'outline',
        'text',
        'versions',
        'triggers',
        'workflows',
        'variables',
        'memory',
        'usage',
        'settings',
        'shell',
      ],
    },
  },
  'packages/web/src/pages': {
    workflow: { does: 'pages about one workflow', imports: [] },
  },
  'packages/web/src/api': {
    activity: { does: 'what workflows did and used', imports: [] },
    settings: { does: 'variables, facts, collaborators, users and keys', imports: [] },
  },
  'packages/web/src/ui': {
    suggest: { does: 'a text input with suggestions', imports: ['assistive'] },
    assistive: { does: 'messages for screen readers, titles of the window, and moving the focus', imports: [] },
    markdown: { does: 'texts in Markdown, without HTML', imports: [] },
  },
  'packages/web/src/commands': {
    palette: { does: 'everything that can be found and opened by a text', imports: [] },
  },
  'packages/web/src/canvas': {
    connect: { does: 'connections: which are valid, and how they are drawn', imports: [] },
    keyboard: {
      does: 'the canvas without a mouse: the focus, the names of nodes, dialogs that connect',
      imports: ['connect', 'add', 'notes'],
    },
    overview: { does: 'a large graph from far away: blocks and plain lines', imports: ['keyboard'] },
    arrange: { does: 'the layout of a graph, in a worker, and the alignment of nodes', imports: ['notes'] },
    menu: { does: 'context menus', imports: [] },
    loops: { does: 'the frames of loops', imports: [] },
    notes: { does: 'notes, and the groups of nodes on them', imports: ['keyboard'] },
    clipboard: { does: 'parts of a graph as text', imports: [] },
    add: { does: 'adding nodes: which fit a place, and how they are connected', imports: ['connect'] },
  },
  'packages/web/src/panel': {
    fields: { does: 'the fields of a form, from the JSON Schemas of a node type', imports: [] },
    problems: { does: 'the problems of a graph, and how to remove them', imports: [] },
    expression: { does: 'what an expression can use, and what it evaluates to', imports: [] },
    formats: { does: 'how the values of each kind of field are written as text', imports: ['fields'] },
    controls: { does: 'one input element for each kind of field', imports: ['fields', 'formats', 'expression'] },
    form: {
      does: 'the form of a node: its fields, its edits, and when they are stored',
      imports: ['fields', 'formats', 'controls', 'expression'],
    },
  },
  'packages/web/src/runs': {
    timeline: { does: 'the steps of an execution on a time scale', imports: [] },
  },
  'packages/web/src/state': {
    draft: { does: 'the edits of a graph: undo, redo, saving, and the edits of others', imports: [] },
    fields: { does: 'what is typed into the fields of nodes, until it is stored', imports: ['draft'] },
  },
};

module.exports = { webFolders };
