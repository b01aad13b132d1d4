/**
 * Which module may import which, from the map in scripts/import-map.cjs. Type imports count; cycles are errors.
 * `scripts/check-imports.mjs` runs this and also fails when it saw fewer modules than the tree has.
 */

/** Tests may import real neighbours (a service's test the real store), so only the package rules bind them. */
const tests = String.raw`\.(test|testsuite|testkit)\.ts$|^packages/[^/]+/test/`;

const { packages, serverFolders, innerFolders } = require('./scripts/import-map.cjs');

const packageRules = Object.entries(packages)
  .filter(([name]) => name !== 'server')
  .flatMap(([name, { mayImport, npm, why }]) => [
    {
      name: `${name}-imports-only-${mayImport.join('-and-') || 'itself'}`,
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

const serverRules = Object.entries(serverFolders).flatMap(([name, { files, packages: allowed, why }]) => [
  {
    name: `server-${name}-imports`,
    comment: `${why}. app.ts passes in what else it needs.`,
    severity: 'error',
    from: { path: `^packages/server/src/${name}/`, pathNot: tests },
    to: {
      path: '^packages/server/src/',
      pathNot: `^packages/server/src/(${[`${name}/`, 'ground/', ...Object.values(files)].join('|')})`,
    },
  },
  {
    name: `server-${name}-imports-packages`,
    comment: `${why}.`,
    severity: 'error',
    from: { path: `^packages/server/src/${name}/`, pathNot: tests },
    to: { path: '^packages/', pathNot: `^packages/(server|${allowed.join('|')})/` },
  },
]);

/** A folder may import itself, the folders named, and files that lie beside the folders. */
const innerRules = Object.entries(innerFolders).flatMap(([base, folders]) =>
  Object.entries(folders).map(([name, { does, imports }]) => ({
    name: `${base
      .replace(/^packages\/|src\/?/g, '')
      .replaceAll('/', '-')
      .replace(/-+$/, '')
      .replace(/-+/g, '-')}-${name}-imports`,
    comment: `${name}/ (${does}) may import only ${imports.join(', ') || 'itself'}.`,
    severity: 'error',
    from: { path: `^${base}/${name}/`, pathNot: [tests, '\\.bench\\.ts$'] },
    to: { path: `^${base}/[^/]+/`, pathNot: `^${base}/(${[name, ...imports].join('|')})/` },
  })),
);

module.exports = {
  forbidden: [
    ...packageRules,
    ...serverRules,
    ...innerRules,
    {
      name: 'no-cycles',
      comment: 'Files that import each other are one concept or need a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nobody-imports-main',
      comment: 'main.ts is the process: it is started, not imported.',
      severity: 'error',
      from: {},
      to: { path: '^packages/server/src/main\\.ts$' },
    },
    {
      name: 'server-is-the-top-layer',
      comment: 'No other package may import the server.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/server/' },
      to: { path: '^packages/server/' },
    },
    {
      name: 'components-are-independent',
      comment: 'One file is one node type; shared code belongs in core. Only the catalogue imports them all.',
      severity: 'error',
      from: { path: '^packages/components/src/', pathNot: `(catalogue|index)\\.ts$|${tests}` },
      to: { path: '^packages/components/src/[^/]+\\.ts$' },
    },
    {
      name: 'packages-from-outside-by-name',
      comment: 'From outside, import the package (@millrace/core), never a path into its src/.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'not-your-own-index',
      comment: 'Inside a package, import the file itself; the index is for other packages and would cause cycles.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: tests },
      to: { path: '^packages/$1/src/index\\.ts$' },
    },
    {
      name: 'sql-driver-only-in-store-sql',
      comment: 'SQL is in one place, so that another database can replace it.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/server/src/store/sql/' },
      to: { path: 'node_modules/(@types/)?(better-sqlite3|pg|pg-boss)/|^node:sqlite$' },
    },
    {
      name: 'store-sql-only-by-the-app',
      comment: 'Folders import the interfaces of store/*.ts; only the wiring selects the store.',
      severity: 'error',
      from: { path: '^packages/server/src/[^/]+/', pathNot: `^packages/server/src/(store|process)/|${tests}` },
      to: { path: '^packages/server/src/store/(sql|migrations)/' },
    },
    {
      name: 'outbound-connections-only-in-outbound',
      comment: 'The outbound folder checks every address; another client would bypass that policy (SSRF).',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: `^packages/server/src/outbound[/.]|${tests}` },
      to: {
        path: '^(node:)?(http|https|http2|net|tls|dgram|dns)(/|$)|node_modules/undici/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-processes-or-vm',
      comment:
        'User code never runs in this process; sandbox/ starts separate processes for it, and commands/ and mcp/ programs that ' +
        'the operator allows. The other processes are git, and the check of a large database file, which cannot be ' +
        'interrupted. Only a new context has the function that collects ' +
        'garbage.',
      severity: 'error',
      from: {
        path: '^packages/[^/]+/src/',
        pathNot: `^packages/server/src/(commands/run-program\\.ts$|mcp/program-transport\\.ts$|sandbox/|git/program\\.ts$|store/sql/database/integrity-check\\.ts$|process/memory-return\\.ts$)|${tests}`,
      },
      to: { path: '^(node:)?(vm|child_process|process)(/|$)' },
    },
    {
      name: 'no-inspector',
      comment: 'The inspector can run text as code.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: tests },
      to: { path: '^(node:)?inspector(/|$)' },
    },
    {
      name: 'no-tests-in-the-product',
      comment: 'The product does not import test code.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'resolvable',
      comment: 'An import that cannot be resolved fails at startup.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/web/dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json'],
    },
  },
};
