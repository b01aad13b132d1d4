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
  { pattern: /\bhas double\b/i, instead: 'has duplicate' },
  { pattern: /\bstand(-i| I)ns?\b/, instead: 'temporary id' },
  { pattern: /\bpassing statuses\b/i, instead: 'transient statuses' },
  { pattern: /\brefuses\b/i, instead: 'rejects' },
];

/** Splits camelCase, PascalCase and snake_case, so that the parts of an identifier are words. @param {string} line */
export function wordsOf(line) {
  return line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}
