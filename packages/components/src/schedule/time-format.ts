/** The groups of letters that Luxon replaces. It writes all others as they are. */
const tokens: ReadonlySet<string> = new Set(
  (
    'S SSS u uu uuu s ss m mm h hh H HH Z ZZ ZZZ ZZZZ ZZZZZ z a d dd c ccc cccc ccccc E EEE EEEE EEEEE ' +
    'L LL LLL LLLL LLLLL M MM MMM MMMM MMMMM y yy yyyy yyyyyy G GG GGGGG kk kkkk W WW n nn ii iiii o ooo q qq ' +
    'D DD DDD DDDD t tt ttt tttt T TT TTT TTTT f ff fff ffff F FF FFF FFFF X x'
  ).split(' '),
);

/** Tokens of other libraries, and what they are in Luxon. */
const others: ReadonlyMap<string, string> = new Map([
  ['YYYY', 'yyyy'],
  ['YY', 'yy'],
  ['A', 'a'],
  ['SS', 'SSS'],
  ['dddd', 'cccc'],
  ['ddd', 'ccc'],
]);

/** Text in quotes, or a run of one letter. */
const formatPart = /'[^']*'|([a-zA-Z])\1*/g;

/** Why a format would write or read something else than it seems to say; null if it does not. */
export function timeFormatIssue(format: string): string | null {
  const parts = (format.match(formatPart) ?? []).filter((part) => !part.startsWith("'"));
  const unknown = parts.find((part) => !tokens.has(part));
  if (unknown !== undefined) return unknownToken(unknown.slice(0, 20));
  const has = (letters: string): boolean => parts.some((part) => letters.includes(part.charAt(0)));
  // Luxon replaces T by a whole time.
  if (/[a-z]T[a-zA-Z]/i.test(format.replace(/'[^']*'/g, ' ')))
    return "'T' between date and time must be in quotes: 'T'";
  if (parts.includes('DD') && has('yMLHm')) return "'DD' is a whole date: write dd for the day";
  if (has('m') && has('y') && has('d') && !has('ML') && !has('Hh')) return "'mm' are minutes: write MM for the month";
  if (has('Hh') && has('M') && !has('m') && !has('y') && !has('d')) return "'MM' is the month: write mm for minutes";
  return null;
}

function unknownToken(part: string): string {
  const right = others.get(part);
  return right === undefined
    ? `'${part}' is not a token of a time: put other text in quotes`
    : `'${part}' is not a token: write ${right}`;
}
