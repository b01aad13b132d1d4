/** The encodings of a character in a text: none is the prefix of another, so parsing is unambiguous. */
type Style = (character: string) => readonly string[];

/** A text in one encoding. */
interface Encoding {
  readonly characters: readonly string[];
  readonly style: Style;
}

/** Shorter texts occur in normal answers by chance. */
const leastLength = 8;

/** All forms of these secrets that must be masked: unchanged and in every encoding, including hexadecimal and base64. */
export function encodingsOf(secrets: readonly string[]): readonly Encoding[] {
  return secrets
    .filter((secret) => secret.length >= leastLength)
    .flatMap((secret) => [
      ...styles.map((style) => ({ characters: Array.from(secret), style })),
      ...(plain.test(secret) ? [] : [{ characters: Array.from(secret), style: inJsonInJson }]),
      { characters: Array.from(Buffer.from(secret).toString('hex')), style: unchanged },
      ...base64Of(secret).map((base64) => ({ characters: Array.from(base64), style: inUrl })),
    ]);
}

/**
 * How far the text matches this encoded form from a position, case-insensitively, and whether the match is complete.
 */
export function readFrom(
  { characters, style }: Encoding,
  text: string,
  start: number,
): { readonly end: number; readonly isWhole: boolean } {
  let at = start;
  for (const character of characters) {
    const way = style(character).find((each) => beginsWith(text, each, at));
    if (way === undefined) return { end: at, isWhole: false };
    at += way.length;
  }
  return { end: at, isWhole: true };
}

/** Whether the text from a position to its end is only a beginning of this encoded form. */
export function isBeginning({ characters, style }: Encoding, text: string, start: number): boolean {
  let at = start;
  for (const character of characters) {
    const ways = style(character);
    const way = ways.find((each) => beginsWith(text, each, at));
    if (way === undefined) return ways.some((each) => beginsWith(each, text.slice(at), 0));
    at += way.length;
  }
  return false;
}

function beginsWith(text: string, beginning: string, at: number): boolean {
  if (text.startsWith(beginning, at)) return true;
  return text.slice(at, at + beginning.length).toLowerCase() === beginning.toLowerCase();
}

/**
 * The base64 forms of bytes: on their own, and inside other data at each of three offsets, without the characters that
 * depend on neighbours.
 */
function base64Of(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const inside = [0, 1, 2].map((offset) => {
    const all = Buffer.concat([Buffer.alloc(offset), bytes]);
    return all.toString('base64').slice(offset === 0 ? 0 : offset + 1, Math.floor((all.length * 4) / 3));
  });
  const all = [bytes.toString('base64').replace(/=+$/, ''), ...inside];
  return [...new Set(all.flatMap((base64) => [base64, base64.replaceAll('+', '-').replaceAll('/', '_')]))];
}

function unchanged(character: string): readonly string[] {
  return [character];
}

/** A secret unchanged, in JSON, in a URL or a form, in a URL within a URL, in HTML or XML, and in HTML within JSON. */
const styles: readonly Style[] = [unchanged, inJson, inUrl, inUrlOfUrl, inHtml, inHtmlInJson];

/** Secrets of these characters look the same in JSON within JSON. */
const plain = /^[\w.~+=:-]*$/;

/** The names of the characters that HTML and XML escape. */
const entityNames: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Without its entity, an ampersand would be the beginning of the others. */
function inHtml(character: string): readonly string[] {
  const coded = entitiesOf(character).map((entity) => `&${entity}`);
  return character === '&' ? coded : [character, ...coded];
}

/** JSON encoders may escape the ampersands, too. */
function inHtmlInJson(character: string): readonly string[] {
  const coded = entitiesOf(character).flatMap((entity) => [`&${entity}`, `\\u0026${entity}`]);
  return character === '&' ? coded : [...inJson(character), ...coded];
}

/** HTML encoders differ in which characters they escape, and in the digits. */
function entitiesOf(character: string): readonly string[] {
  const code = character.codePointAt(0) ?? 0;
  const [decimal, hex] = [String(code), code.toString(16)];
  const numbers = new Set([decimal, decimal.padStart(3, '0'), `x${hex}`, `x${hex.padStart(4, '0')}`]);
  const name = entityNames[character];
  return [...Array.from(numbers, (number) => `#${number};`), ...(name === undefined ? [] : [`${name};`])];
}

/** JSON encoders differ in which characters they escape, and in the case of their digits. */
function inJson(character: string): readonly string[] {
  const plain = JSON.stringify(character).slice(1, -1);
  return character === '/' ? [plain, '\\/', escapeOf(character)] : [plain, escapeOf(character)];
}

/** The arguments of a model's calls are JSON in a text of JSON. */
function inJsonInJson(character: string): readonly string[] {
  const ways = inJson(character).map((way) => JSON.stringify(way).slice(1, -1));
  return ways.includes(character) ? [...ways, escapeOf(character)] : ways;
}

function escapeOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16));
  return units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('');
}

/** URL encoders differ in which characters they leave, and in the case of their digits; URLs often occur in JSON. */
function inUrl(character: string): readonly string[] {
  return character === '%' ? ['%25'] : inUrlOfUrl(character);
}

function inUrlOfUrl(character: string): readonly string[] {
  if (character === '%') return ['%2525'];
  const once = Buffer.from(character).toString('hex').replace(/../g, '%$&');
  const coded = [once.replaceAll('%', '%25'), once];
  // A form, and a form within a URL, have a plus there.
  if (character === ' ') return [' ', '+', '%2b', ...coded];
  return /["\\]/.test(character) ? coded : [...inJson(character), ...coded];
}
