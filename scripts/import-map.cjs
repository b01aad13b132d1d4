/**
 * The map of the code: every package and folder, its purpose, and what it may import besides itself.
 * `.dependency-cruiser.cjs` turns it into import rules; `npm run docs` prints it in `docs/architecture.md`.
 */

const { webFolders } = require('./import-map-web.cjs');

/** Packages. `npm`: the libraries that a package may use; null if any is allowed. */
const packages = {
  core: {
    does: 'the model of a workflow and the decisions of the engine; no Node, no DOM, no clock, no I/O',
    mayImport: [],
    npm: ['zod', 'js-yaml'],
    why: 'core is pure: data in, decisions out',
  },
  contract: {
    does: 'the JSON of the API: schemas and presenters',
    mayImport: ['core'],
    npm: ['zod'],
    why: 'the contract contains only schemas, which the browser shares',
  },
  components: {
    does: 'the node types: one file per component',
    mayImport: ['core'],
    npm: ['zod', 'luxon'],
    why: 'a component does I/O only through its ctx',
  },
  server: { does: 'the running service', mayImport: ['core', 'contract', 'components'], npm: null, why: '' },
  client: {
    does: 'the typed client of the API and of the live events, generated from the OpenAPI document',
    mayImport: [],
    npm: ['openapi-fetch'],
    why: 'the client depends on nothing but the API, as the client of anybody else',
  },
  web: {
    does: 'the web app: build, run and observe workflows in a browser',
    mayImport: ['core', 'client'],
    npm: null,
    why: 'the browser has no access to the server except through the client',
  },
};

/**
 * Folders of the server. `files`: parts of other folders that it may import; `packages`: the packages it may import.
 * Every folder may import `ground/`.
 */
const serverFolders = {
  ground: {
    does: 'the lowest layer: configuration, log, clock, ids, regular expressions',
    files: {},
    packages: ['core'],
    why: 'every other folder builds on it',
  },
  store: {
    does: 'persistence; the only place with SQL',
    files: {},
    packages: ['core'],
    why: 'the store keeps data and decides nothing',
  },
  secrets: {
    does: 'encrypts and decrypts stored secrets; only this folder sees them in plaintext',
    files: {},
    packages: ['core'],
    why: 'plaintext secrets stay in one folder',
  },
  outbound: {
    does: 'every connection the service makes, with the address policy',
    files: {},
    packages: ['core'],
    why: 'one place checks every address',
  },
  mcp: {
    does: 'connections to MCP servers',
    files: {},
    packages: ['core'],
    why: 'a connection sends through the client that a step gives it',
  },
  git: {
    does: 'runs the program git: copies of repositories, and what steps do with them',
    files: {},
    packages: ['core'],
    why: 'the program that reaches git servers has access to nothing else',
  },
  models: {
    does: 'LLM providers: two protocols, key tests, model lists',
    files: { 'secrets/llm-endpoint.ts': 'secrets/llm-endpoint\\.ts$' },
    packages: ['core'],
    why: 'models call endpoints that hold the key and never see the key itself',
  },
  services: {
    does: 'use cases: authorization, state changes, emitted events',
    files: { "the store's interface": 'store/[a-z-]+\\.ts$', 'secrets/': 'secrets/' },
    packages: ['core'],
    why: 'services and runner meet only in the store',
  },
  runner: {
    does: 'claims runs, carries out the decisions of `core`, records facts',
    files: { "the store's interface": 'store/[a-z-]+\\.ts$' },
    packages: ['core'],
    why: 'the runner carries out what core decided',
  },
  recordings: {
    does: 'what runs exchange with the outside: recorded, and given as answers',
    files: { "the store's interface": 'store/[a-z-]+\\.ts$', "the runner's ports": 'runner/ports\\.ts$' },
    packages: ['core', 'contract'],
    why: 'a recording stands between the runner and everything that it reaches',
  },
  commands: {
    does: 'runs programs that the operator allows: [commands](commands.md)',
    files: {},
    packages: ['core'],
    why: 'only this folder starts programs of the machine',
  },
  sandbox: {
    does: "runs users' code in separate processes: [the sandbox](code-sandbox.md)",
    files: {},
    packages: ['core'],
    why: 'the process that runs user code has access to nothing else',
  },
  live: {
    does: 'WebSocket channels',
    files: {},
    packages: ['core', 'contract'],
    why: 'sockets depend on events, not on use cases',
  },
  http: {
    does: 'routes: authentication, path object, body, use case, response',
    files: { 'services/': 'services/' },
    packages: ['core', 'contract'],
    why: 'a route calls a service and presents the result',
  },
  'workflow-tests': {
    does: '[tests of workflows](testing-workflows.md): read them, start runs, compare results',
    files: { "the store's interface": 'store/[a-z-]+\\.ts$', 'recordings/': 'recordings/' },
    packages: ['core', 'contract'],
    why: 'a test uses the service as its clients do',
  },
  cli: {
    does: 'commands for the operator, and `test`',
    files: {
      "the store's interface": 'store/[a-z-]+\\.ts$',
      'secrets/': 'secrets/',
      'services/': 'services/',
      'workflow-tests/': 'workflow-tests/',
    },
    packages: ['core', 'contract'],
    why: 'a command calls one use case, like a request',
  },
};

/** Only the wiring imports these, and it may import everything. */
const serverWiring = {
  process:
    'start and stop, changes made by `millrace` commands while the service runs, memory limits, the service in virtual time',
  'app.ts': "creates the application's parts and passes them to each other, without a dependency-injection container",
  'app-services.ts': 'wires the use cases',
  'app-runner.ts': 'wires the runner',
  'main.ts': 'the service program',
  'millrace.ts': 'the command-line program',
};

/** Folders inside a package or a server folder. `imports`: the sibling folders that it may import. */
const innerFolders = {
  'packages/components/src': {
    agent: { does: 'the tool loop of an agent: its prompt, its limits and what it does next', imports: ['question'] },
    facts: { does: 'whose facts a node uses', imports: [] },
    platform: { does: 'tools with which agents operate the service', imports: [] },
    mcp: { does: 'the tools of an MCP server, and what it answers', imports: [] },
    question: { does: 'what a node asks a model, and answers of a given form', imports: [] },
    schedule: { does: 'the times of cron patterns in time zones', imports: [] },
  },
  'packages/core/src': {
    base: { does: 'JSON, text and schema primitives; users and access', imports: [] },
    expression: { does: 'the expression language: parse, evaluate, filters, templates in configs', imports: ['base'] },
    rules: { does: 'conditions of `switch`, `filter` and `assertion`', imports: ['base', 'expression'] },
    component: {
      does: 'the definition of a component: ports, config, policies, models, pauses',
      imports: ['base', 'expression', 'rules'],
    },
    http: {
      does: 'HTTP requests and responses: content types, headers, pagination',
      imports: ['base', 'expression', 'rules', 'component'],
    },
    'chat-bot': {
      does: 'the Bot API of the messaging platform: calls, answers, parts of long messages, Markdown',
      imports: ['base', 'expression', 'component', 'http'],
    },
    credentials: { does: 'credential details, masks, tool authentication', imports: ['base', 'component', 'http'] },
    variables: {
      does: 'the rules of variables, plain and secret',
      imports: ['base', 'expression', 'component', 'credentials'],
    },
    graph: {
      does: 'workflow, node, edge; edge rules, loop bodies, schedules',
      imports: ['base', 'expression', 'component'],
    },
    editing: {
      does: 'operations on a graph: what each changes; shared by the server and the browser',
      imports: ['base', 'expression', 'component', 'graph'],
    },
    engine: {
      does: 'plan, journal, fold, advance, retry, fork',
      imports: ['base', 'expression', 'component', 'graph'],
    },
    validation: {
      does: 'validation of a whole graph',
      imports: ['base', 'expression', 'component', 'chat-bot', 'variables', 'graph', 'engine'],
    },
    dsl: {
      does: 'YAML text to graph and back',
      imports: ['base', 'expression', 'component', 'graph', 'engine', 'validation'],
    },
  },
  'packages/core/src/base': {
    texts: { does: 'parts of texts: their memory, lines and lists of names', imports: [] },
  },
  'packages/core/src/expression': {
    config: { does: 'templates in configs: find, check and fill expressions', imports: ['filters'] },
    filters: { does: 'the filters', imports: ['json'] },
    json: { does: 'JSON texts: writing, parsing and measuring large ones in pieces', imports: [] },
  },
  'packages/core/src/component': {
    git: { does: 'events and repositories of git hosts', imports: [] },
    memory: { does: 'facts that workflows remember, and searches in them', imports: [] },
    tools: { does: 'tools of agents: their settings, what they offer, calls of them', imports: [] },
    answer: { does: "finds the answer in a model's text: reasoning, fenced blocks, lists and objects", imports: [] },
  },
  'packages/core/src/validation': {
    agents: { does: 'what agents remember, and what text from outside can lead them to', imports: [] },
  },
  'packages/core/src/engine': {
    fold: { does: 'the state of a run, computed from its journal', imports: ['journal'] },
    journal: { does: 'journal entries, and what a client sees of them', imports: ['fold'] },
  },
  'packages/core/src/dsl': {
    yaml: { does: 'reads and writes YAML', imports: [] },
  },
  'packages/contract/src': {
    base: { does: 'JSON, pages, timestamps, errors', imports: [] },
    access: { does: 'users, keys, collaborators', imports: ['base'] },
    credentials: { does: 'credentials and their models', imports: ['base'] },
    executions: { does: 'executions, chats, webhooks', imports: ['base'] },
    memory: { does: 'what workflows remember', imports: ['base'] },
    variables: { does: 'variables and state', imports: ['base'] },
    workflows: { does: 'workflows, nodes, edges, versions, validation, components', imports: ['base'] },
  },
  'packages/server/src/services': {
    access: { does: 'authentication, authorization, users, keys, collaborators', imports: [] },
    setup: { does: 'the first start and the example workflow', imports: ['access'] },
    credentials: { does: 'credentials and their models', imports: ['access'] },
    memory: { does: 'what workflows remember', imports: ['access'] },
    variables: { does: 'variables and state', imports: ['access', 'credentials'] },
    workflows: { does: 'workflows, nodes, edges, versions, trash', imports: ['access'] },
    validation: {
      does: 'validation of workflows against the stored data; JSON Schema',
      imports: ['access', 'workflows'],
    },
    publishing: { does: 'publishing: the version that triggers run', imports: ['access', 'workflows', 'validation'] },
    acceptance: {
      does: 'accepts runs, finds their trigger, waits for their result',
      imports: ['access', 'workflows', 'validation'],
    },
    triggers: {
      does: 'webhooks, chats, schedules, error handlers, sub-workflows',
      imports: ['access', 'workflows', 'validation', 'acceptance'],
    },
    bots: {
      does: 'bots of a messaging platform: their messages start workflows, and answers are sent to them',
      imports: ['access', 'workflows', 'validation', 'acceptance'],
    },
    executions: {
      does: 'executions: list, start, retry, replay, answer, prune',
      imports: ['access', 'workflows', 'validation', 'acceptance'],
    },
    mcp: {
      does: 'workflows as tools of MCP clients',
      imports: ['access', 'workflows', 'validation', 'acceptance', 'executions'],
    },
    previews: {
      does: 'expressions and schedules while they are written',
      imports: ['access', 'executions'],
    },
    dsl: { does: 'import, export and validation of YAML texts', imports: ['access', 'workflows', 'validation'] },
  },
  'packages/server/src/store': {
    sql: { does: 'the store in SQLite', imports: [] },
    testsuite: { does: 'the tests that every store must pass', imports: [] },
  },
  'packages/server/src/store/sql/database': {
    log: { does: 'the write-ahead log: sync, copies into the database, bound, recovery', imports: [] },
  },
  'packages/server/src/store/sql': {
    database: { does: 'connection, writer, migrations, lock, damage', imports: [] },
    backup: {
      does: 'copies of the whole database: make, verify, restore, detect incomplete ones',
      imports: ['database'],
    },
    activity: { does: 'what workflows did lately: counts of each hour, last executions', imports: ['database'] },
    queue: { does: 'leases, queue positions, concurrency slots, counts', imports: ['database'] },
    executions: {
      does: 'accept, claim, append, cancel, retry; journal, waits, chats, lists, retention',
      imports: ['database', 'queue', 'outbox', 'variables', 'recordings'],
    },
    memory: { does: 'what workflows remember, and the index of its words', imports: ['database'] },
    workflows: {
      does: 'workflows, graphs, versions, schedules of nodes, trash',
      imports: ['database', 'activity', 'queue', 'executions', 'memory'],
    },
    recordings: { does: 'what runs exchanged with the outside', imports: ['database'] },
    schedules: { does: 'due schedules', imports: ['database', 'executions', 'workflows'] },
    bots: {
      does: 'bots: their triggers, and what they have received',
      imports: ['database', 'executions', 'outbox', 'workflows'],
    },
    outbox: { does: 'answers that bots are to send', imports: ['database'] },
    accounts: { does: 'users, keys, collaborators', imports: ['database'] },
    credentials: { does: 'credentials, their uses, encryption keys', imports: ['database', 'workflows'] },
    variables: { does: 'variables, their values in runs, state', imports: ['database'] },
  },
  'packages/server/src/http': {
    bodies: { does: 'request bodies: encodings, charsets, JSON, forms, multipart', imports: ['connections'] },
    connections: {
      does: 'limits of connections: unread answers, held and unread bodies, order of requests',
      imports: [],
    },
    handling: { does: 'strict or lenient: unknown names, warnings, `Prefer`', imports: [] },
    openapi: { does: 'the OpenAPI document and its page, headers and path parameters', imports: [] },
    'own-api': { does: 'requests of this process to its own API, for the owner of a run', imports: [] },
    mcp: { does: 'the endpoint of MCP clients', imports: ['bodies', 'plumbing'] },
    plumbing: {
      does: 'server, route sequence, authentication, errors',
      imports: ['bodies', 'connections', 'handling', 'openapi', 'own-api'],
    },
    reference: { does: 'the component reference as Markdown and as HTML', imports: ['plumbing'] },
    routes: { does: 'one file per resource', imports: ['handling', 'openapi', 'plumbing', 'reference'] },
    webhooks: {
      does: 'webhooks and signed links: public URLs',
      imports: ['bodies', 'handling', 'openapi', 'plumbing'],
    },
  },
  ...webFolders,
  'packages/server/src/http/routes': {
    access: { does: 'users, keys, collaborators', imports: [] },
    credentials: { does: 'credentials and their models', imports: [] },
    executions: { does: 'executions and chats', imports: [] },
    service: { does: 'the service itself', imports: [] },
    memory: { does: 'what workflows remember', imports: [] },
    variables: { does: 'variables and state', imports: [] },
    workflows: { does: 'workflows, nodes, edges, versions, validation, publishing', imports: [] },
  },
  'packages/server/src/runner': {
    steps: { does: 'one attempt of one step', imports: [] },
    run: { does: 'one run: journal tail, alarms, carrying out decisions', imports: ['steps'] },
  },
  'packages/server/src/secrets': {
    keys: { does: 'the encryption key, the key ring, the vault', imports: [] },
    masking: { does: 'finds and masks secrets in texts', imports: [] },
  },
  'packages/server/src/sandbox': {
    child: { does: 'the separate process and its protocol', imports: [] },
  },
  'packages/server/src/sandbox/child': {
    inside: { does: "the code that shares a context with users' code", imports: [] },
  },
};

module.exports = { packages, serverFolders, serverWiring, innerFolders };
