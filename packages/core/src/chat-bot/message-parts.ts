/** The most characters of one message of a bot, as the platform counts them: without tags. */
export const maxBotMessage = 4096;

/**
 * The parts of a text that is too long for one message. A part ends at the last line break, or else at the last space, in
 * the second half of what fits.
 */
export function messageParts(text: string): readonly string[] {
  return parts(text, (from) => cutAfter(text, from)).filter((part) => part.trim() !== '');
}

/** The same for HTML: tags that are open at the end of a part are closed there, and opened again in the next one. */
export function htmlParts(html: string): readonly string[] {
  const open: Tag[] = [];
  return parts(html, (from) => beforeMarkup(html, from, cutAfter(html, from))).flatMap((part) => {
    const before = open.map(({ tag }) => tag).join('');
    follow(open, part);
    const after = open.toReversed().map(({ name }) => `</${name}>`);
    return part.replace(anyTag, '').trim() === '' ? [] : [`${before}${part}${after.join('')}`];
  });
}

function parts(text: string, cut: (from: number) => number): readonly string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = cut(from);
    found.push(text.slice(from, end).replace(/[\r\n ]$/, ''));
    from = end;
  }
  return found;
}

/** Where the part that begins at `from` ends. */
function cutAfter(text: string, from: number): number {
  const end = from + maxBotMessage;
  if (text.length <= end) return text.length;
  const least = from + maxBotMessage / 2;
  for (const separator of ['\n', ' ']) {
    const last = text.lastIndexOf(separator, end - 1);
    if (last >= least) return last + 1;
  }
  // The second half of a character outside the basic plane belongs to the first.
  return /[\uDC00-\uDFFF]/.test(text.charAt(end)) ? end - 1 : end;
}

const anyTag = /<(\/?)([a-z][a-z0-9-]*)[^<>]*>/gi;

/** A cut that divides no tag and no character reference, unless it is longer than a message. */
function beforeMarkup(html: string, from: number, cut: number): number {
  if (cut === html.length) return cut;
  const tag = html.lastIndexOf('<', cut - 1);
  const isInTag = tag > from && html.lastIndexOf('>', cut - 1) < tag;
  const reference = /&[a-z0-9#]{0,8}$/i.exec(html.slice(Math.max(from + 1, cut - 9), cut));
  if (isInTag) return tag;
  return reference === null ? cut : cut - reference[0].length;
}

interface Tag {
  readonly name: string;
  readonly tag: string;
}

/** Changes the open tags by those in a part. */
function follow(open: Tag[], part: string): void {
  for (const [tag, slash, name = ''] of part.matchAll(anyTag)) {
    if (slash === '') open.push({ name: name.toLowerCase(), tag });
    else if (open.at(-1)?.name === name.toLowerCase()) open.pop();
  }
}
