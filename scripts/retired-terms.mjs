/**
 * Words that the project used before it settled on standard terms, with what to write instead. They are rejected in
 * identifiers, comments, test titles, messages and documentation, so that one concept keeps one name (docs/glossary.md).
 */
export const retiredTerms = [
  { pattern: /\bdeeds?\b/i, instead: 'action or use case' },
  { pattern: /\btheat(re|er)s?\b/i, instead: 'test runner' },
  { pattern: /\bverdicts?\b/i, instead: 'assertions or expected result' },
  { pattern: /\brelink\b/i, instead: 'syncModelLinks' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\bwhereabouts\b/i, instead: 'position' },
  { pattern: /\bmend(s|ed|ing)?\b/i, instead: 'fix' },
  { pattern: /\bbreakdowns?\b/i, instead: 'fatal error' },
  { pattern: /\bwritings\b/i, instead: 'encodings' },
  { pattern: /\bguests?\b/i, instead: 'public viewer' },
  { pattern: /\bfaults?\b(?! injection)/i, instead: 'error or issue' },
  { pattern: /\b(hears?|heard)\b/i, instead: 'receive or subscribe' },
  { pattern: /\bbecomes? of\b/i, instead: 'a plain statement of the result' },
  { pattern: /\bfor ever\b/i, instead: 'forever, or the actual limit' },
  { pattern: /\bwhoever\b/i, instead: 'the role: the caller, the owner, a client' },
  { pattern: /\bsign of life\b/i, instead: 'heartbeat' },
  { pattern: /\b(edge doubles?|double edges?|(has|is)( plain)? double)\b/i, instead: 'duplicate edges' },
  { pattern: /\bstand(-i| I)ns?\b/, instead: 'temporary id' },
  { pattern: /\bpassing (status(es)?|events?)\b/i, instead: 'transient status or ephemeral event' },
  { pattern: /\bkept (runs?|workflows?)\b/i, instead: 'run cache or workflow cache' },
  { pattern: /\bloss(es)?\b/i, instead: 'crash count' },
  { pattern: /\bsuspects?\b/i, instead: 'quarantined run' },
  { pattern: /\bgates?\b/i, instead: 'concurrency slot' },
  { pattern: /\bflights?\b/i, instead: 'attempt' },
  { pattern: /\btried\b/i, instead: 'attempt' },
  { pattern: /\bsituations?\b/i, instead: 'AdvanceContext' },
  { pattern: /\bnotice others\b/i, instead: 'detectExternalChanges' },
  { pattern: /\b(tells?|told|telling)\b/i, instead: 'publish, notify or return' },
  { pattern: /\bholders?\b/i, instead: 'Principal or owner' },
  { pattern: /\bplay(s|ed|ing|er)?\b/i, instead: 'run' },
  { pattern: /\bcourses?\b/i, instead: 'runToCompletion' },
  { pattern: /#busy\b|\bBusy\b/, instead: 'ActivityTracker' },
  { pattern: /\bin \w+ Words\b/, instead: 'withXErrors' },
  { pattern: /\brefus(e|es|ed|al|als|ing)\b/i, instead: 'reject, error or issue' },
];

/** Uses that stay, with the reason. Everything else is rejected, also in these files. */
export const allowedUses = [
  // The error code `model_refused` and the stop `refusal` of a model are values of the interface and of the providers.
  { files: /./, words: /\bmodel refused\b|\brefusal\b/ },
  // The operating system's name for the error ECONNREFUSED.
  { files: /./, words: /\bconnection (was )?refused\b/i },
  // The name of an icon.
  { files: /^packages\/components\/src\/trigger-manual\.ts$|^docs\/api\.md$/, words: /'play'/ },
  {
    files: /^packages\/web\/src\/(canvas\/node-look|start\/[a-z-]+|chat\/[a-z-]+|runs\/[a-z-]+)\.tsx$/,
    words: /\bplay\b/i,
  },
  // Columns of the first migration, and the name of their index.
  { files: /^packages\/server\/src\/store\/sql\//, words: /\b(gates?|losses)\b/ },
  { files: /^packages\/server\/test\/api\/damaged-texts\.test\.ts$|^docs\//, words: /column `gate`|\|gate\|/ },
  // Requests in flight are a term of load tests.
  { files: /\.bench\.ts$/, words: /\bin flight\b/i },
];

/** Splits camelCase, PascalCase and snake_case, so that the parts of an identifier are words. @param {string} line */
export function wordsOf(line) {
  return line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}
