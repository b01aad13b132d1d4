/** Checks that globals with side effects (settings, clock, randomness, network, exit) are used only at the edges. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { report } from './report.mjs';

const clock = /^packages\/(server\/src\/ground\/(clock|ids)|web\/src\/(ui\/clock|api\/live))\.ts$/;

const storage = /^packages\/web\/src\/storage\/browser-storage\.ts$/;

/** The globals that are a use wherever their name is written. */
const values = /^(localStorage|sessionStorage|indexedDB)$/;

/** The files in which each global is allowed. @type {Record<string, { allowed: RegExp, instead: string }>} */
const rules = {
  'process.env': {
    allowed: /^packages\/server\/src\/ground\/config\.ts$/,
    instead: 'settings are read only in config.ts',
  },
  'process.exit': { allowed: /^packages\/server\/src\/main\.ts$/, instead: 'only main.ts may end the process' },
  'Date.now': { allowed: clock, instead: 'take the time as an argument (clock.ts is the real clock)' },
  'new Date()': { allowed: clock, instead: 'take the time as an argument (clock.ts is the real clock)' },
  'Math.random': {
    allowed: /^packages\/(server\/src\/(ground\/ids|process\/start)|web\/src\/api\/live)\.ts$/,
    instead: 'take the random source as an argument',
  },
  fetch: { allowed: /^$/, instead: 'use the outbound module, which checks every address' },
  localStorage: { allowed: storage, instead: 'the browser stores texts only through storage/, by user' },
  sessionStorage: { allowed: storage, instead: 'the browser stores texts only through storage/, by user' },
  indexedDB: { allowed: /^$/, instead: 'the browser stores texts only through storage/, by user' },
  'document.cookie': { allowed: /^$/, instead: 'the browser stores texts only through storage/, by user' },
  createDecipheriv: { allowed: /^packages\/server\/src\/secrets\//, instead: 'only secrets/ encrypts and decrypts' },
};

/**
 * The name in the rules of the global that a syntax node uses, in any notation; null if it uses none.
 * @param {ts.Node} node
 */
function usedName(node) {
  if (ts.isPropertyAccessExpression(node)) return node.getText().replace(/^globalThis\./, '');
  if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)) {
    return `${node.expression.getText()}.${node.argumentExpression.text}`.replace(/^globalThis\./, '');
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) return 'new Date()';
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) return node.expression.text;
  if (ts.isIdentifier(node) && values.test(node.text)) return node.text;
  // `const { env } = process` uses it as well.
  if (ts.isVariableDeclaration(node) && node.initializer?.getText() === 'process') return 'process.env';
  return null;
}

/** @param {string} root @param {string} file @returns {string[]} */
function problemsOf(root, file) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  /** @type {string[]} */
  const problems = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const name = usedName(node);
    const rule = name !== null && Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule && !rule.allowed.test(file)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      problems.push(`${file}:${line + 1} uses ${name}: ${rule.instead}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

const root = resolve(process.argv[2] ?? '.');
const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !/\.(test|testsuite|testkit)\.ts$/.test(file),
);
const problems = files.flatMap((file) => problemsOf(root, file.replaceAll('\\', '/')));
report({ problems, seen: files.length, fine: 'files use globals with side effects only at the edges' });
