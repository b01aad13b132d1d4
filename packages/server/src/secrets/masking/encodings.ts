/** How a character may stand in a text: none of these ways is the beginning of another, so reading never has a choice. */
type Style = (character: string) => readonly string[];

/** A text in a style of writing. */
interface Writing {
  readonly characters: readonly string[];
  readonly style: Style;
}

/** Shorter texts stand in honest answers by chance. */
const leastLength = 8;

/** All that must not be seen of these secrets: as they are, and in every style, also in base64. */
export function writingsOf(secrets: readonly string[]): readonly Writing[] {
  return secrets
    .filter((secret) => secret.length >= leastLength)
    .flatMap((secret) => [
      ...styles.map((style) => ({ characters: Array.from(secret), style })),
      ...base64Of(secret).map((base64) => ({ characters: Array.from(base64), style: inUrl })),
    ]);
}

/** How far a text goes on from there as it is written so, whatever its case, and whether that is all of it. */
export function readFrom(
  { characters, style }: Writing,
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

/** Whether a text from there to its end is no more than a beginning of what is written so. */
export function isBeginning({ characters, style }: Writing, text: string, start: number): boolean {
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

/** How bytes look in base64: whole, and inside of more at each of three places, without what neighbours change. */
function base64Of(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const inside = [0, 1, 2].map((offset) => {
    const all = Buffer.concat([Buffer.alloc(offset), bytes]);
    return all.toString('base64').slice(offset === 0 ? 0 : offset + 1, Math.floor((all.length * 4) / 3));
  });
  const all = [bytes.toString('base64').replace(/=+$/, ''), ...inside];
  return [...new Set(all.flatMap((base64) => [base64, base64.replaceAll('+', '-').replaceAll('/', '_')]))];
}

/** A secret as it is, in JSON, in a URL or a form, and in a URL within a URL. */
const styles: readonly Style[] = [(character) => [character], inJson, inUrl, inUrlOfUrl];

/** Writers of JSON differ in which characters they escape, and in the case of their digits. */
function inJson(character: string): readonly string[] {
  const plain = JSON.stringify(character).slice(1, -1);
  return character === '/' ? [plain, '\\/', escapeOf(character)] : [plain, escapeOf(character)];
}

function escapeOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16));
  return units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('');
}

/** Writers of URLs differ in what they leave as it is, and in the case of their digits; many a URL stands in JSON. */
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
