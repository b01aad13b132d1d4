/**
 * Who may import whom. Type imports count; circles are errors. `scripts/check-imports.mjs` runs this
 * and also fails when fewer modules were seen than the tree has.
 */

/** Tests may stand on real neighbours (a service's test on the real store), so only package walls bind them. */
const tests = String.raw`\.(test|testsuite|testkit)\.ts$|^packages/[^/]+/test/`;

/** Packages, and what each may import besides itself. */
const packages = {
  core: { mayImport: [], npm: ['zod', 'js-yaml'], why: 'core is pure: data in, decisions out' },
  contract: { mayImport: ['core'], npm: ['zod'], why: 'the wire is schemas only, shared with the browser' },
  components: {
    mayImport: ['core'],
    npm: ['zod', 'luxon', 'croner'],
    why: 'a component reaches the world only through its ctx',
  },
  web: { mayImport: ['core', 'contract'], npm: null, why: 'a browser has nothing of the server' },
};

/** Files that any room of the server may import: they know nobody above them. */
const ground = 'ground/';

/** Rooms of the server: what each may import there besides itself and the ground, and which packages. */
const rooms = {
  store: { inside: [], packages: 'core', why: 'the store keeps what it is given and decides nothing' },
  secrets: { inside: [], packages: 'core', why: 'secrets are sealed and opened here, for others to call' },
  outbound: { inside: [], packages: 'core', why: 'the one way out serves everybody, so it knows nobody' },
  models: {
    inside: ['secrets/llm-endpoint\\.ts$'],
    packages: 'core',
    why: 'models speak to providers through endpoints that are open already: no key ever comes here',
  },
  services: {
    inside: ['store/[a-z-]+\\.ts$', 'secrets/'],
    packages: 'core',
    why: 'a deed stands on the store interface; it meets the runner in the store only',
  },
  cli: {
    inside: ['store/[a-z-]+\\.ts$', 'secrets/', 'services/', 'workflow-tests/'],
    packages: 'core|contract',
    why: 'a command does one deed, as a request does, and millrace.ts hands it what it needs',
  },
  'workflow-tests': {
    inside: ['store/[a-z-]+\\.ts$'],
    packages: 'core|contract',
    why: 'a test asks a service as its clients do, and virtual-service.ts opens one for it',
  },
  runner: {
    inside: ['store/[a-z-]+\\.ts$'],
    packages: 'core',
    why: 'the runner performs what core decided and meets the services in the store only',
  },
  sandbox: {
    inside: [],
    packages: 'core',
    why: "users' code runs beside the service, and what starts it holds none of the service's things",
  },
  live: { inside: [], packages: 'core|contract', why: 'sockets know events, not deeds' },
  http: { inside: ['services/'], packages: 'core|contract', why: 'a route calls a service and presents the answer' },
};

const packageRules = Object.entries(packages).flatMap(([name, { mayImport, npm, why }]) => [
  {
    name: `${name}-stands-on-${mayImport.join('-and-') || 'nothing'}`,
    comment: `${why}.`,
    severity: 'error',
    from: { path: `^packages/${name}/` },
    to: { path: '^packages/', pathNot: `^packages/(${[name, ...mayImport].join('|')})/` },
  },
  {
    name: `${name}-has-no-node`,
    comment: `${why}: no Node built-ins.`,
    severity: 'error',
    from: { path: `^packages/${name}/src/`, pathNot: tests },
    to: { dependencyTypes: ['core'] },
  },
  ...(npm === null
    ? []
    : [
        {
          name: `${name}-uses-only-${npm.join('-')}`,
          comment: `${why}: each further library needs a decision.`,
          severity: 'error',
          from: { path: `^packages/${name}/src/`, pathNot: tests },
          to: { path: 'node_modules/', pathNot: `node_modules/(@types/)?(${npm.join('|')})/` },
        },
      ]),
]);

const roomRules = Object.entries(rooms).flatMap(([name, { inside, packages: allowed, why }]) => [
  {
    name: `server-${name}-keeps-its-walls`,
    comment: `${why}. What it needs besides, app.ts hands it as an argument.`,
    severity: 'error',
    from: { path: `^packages/server/src/${name}[/.]`, pathNot: tests },
    to: {
      path: '^packages/server/src/',
      pathNot: `^packages/server/src/(${[`${name}[/.]`, ground, ...inside].join('|')})`,
    },
  },
  {
    name: `server-${name}-sees-only-${allowed.replaceAll('|', '-and-')}`,
    comment: `${why}.`,
    severity: 'error',
    from: { path: `^packages/server/src/${name}[/.]`, pathNot: tests },
    to: { path: '^packages/', pathNot: `^packages/(server|${allowed})/` },
  },
]);

module.exports = {
  forbidden: [
    ...packageRules,
    ...roomRules,
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one noun, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'server-ground-knows-nobody',
      comment: 'Settings, logger, clock, ids and patterns lie under every room.',
      severity: 'error',
      from: { path: `^packages/server/src/${ground}`, pathNot: tests },
      to: { path: '^packages/', pathNot: `^packages/(core/|server/src/${ground})` },
    },
    {
      name: 'nobody-imports-main',
      comment: 'main.ts is the process: it is started, not imported.',
      severity: 'error',
      from: {},
      to: { path: '^packages/server/src/main\\.ts$' },
    },
    {
      name: 'server-stands-on-top',
      comment: 'Nothing below the server may need it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/server/' },
      to: { path: '^packages/server/' },
    },
    {
      name: 'components-do-not-know-each-other',
      comment: 'One file is one node type; what two share is a noun of core. Only the catalogue sees them all.',
      severity: 'error',
      from: { path: '^packages/components/src/', pathNot: `(catalogue|index)\\.ts$|${tests}` },
      to: { path: '^packages/components/src/[^/]+\\.ts$' },
    },
    {
      name: 'packages-from-outside-by-name',
      comment: 'From outside import the package (@millrace/core), never a path into its src/.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'not-your-own-index',
      comment: 'Inside a package import the file that has it; the index is for others, and makes circles.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: tests },
      to: { path: '^packages/$1/src/index\\.ts$' },
    },
    {
      name: 'sql-driver-only-in-store-sql',
      comment: 'SQL lives in one place, so that the store can be another database.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/server/src/store/sql/' },
      to: { path: 'node_modules/(@types/)?(better-sqlite3|pg|pg-boss)/|^node:sqlite$' },
    },
    {
      name: 'store-sql-only-by-the-app',
      comment: 'Rooms know the interfaces of store/*.ts; only the wiring knows which store it is.',
      severity: 'error',
      from: { path: '^packages/server/src/[^/]+/', pathNot: `^packages/server/src/(store|process)/|${tests}` },
      to: { path: '^packages/server/src/store/(sql|migrations)/' },
    },
    {
      name: 'one-way-out',
      comment: 'The outbound module checks every address; another client would be a hole in that policy (SSRF).',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: `^packages/server/src/outbound[/.]|${tests}` },
      to: {
        path: '^(node:)?(http|https|http2|net|tls|dgram|dns)(/|$)|node_modules/undici/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-processes-or-vm',
      comment: 'User text is never run in this process; sandbox/ starts the ones in which it is.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: `^packages/server/src/sandbox/|${tests}` },
      to: { path: '^(node:)?(vm|child_process|process)(/|$)' },
    },
    {
      name: 'no-inspector',
      comment: 'It runs text, too. One file asks it to collect the heap, and for nothing else.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: `^packages/server/src/process/memory-return\\.ts$|${tests}` },
      to: { path: '^(node:)?inspector(/|$)' },
    },
    {
      name: 'no-tests-in-the-product',
      comment: 'Code that runs does not stand on code that tests.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere breaks at start.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json'],
    },
  },
};
