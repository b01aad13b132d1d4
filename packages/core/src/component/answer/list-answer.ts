import type { SlicedWork } from '../../base/meter.ts';
import { ownText } from '../../base/texts/own-text.ts';
import { receivedJson } from '../../expression/json/received-json.ts';
import { isArray, type Json } from '../../json.ts';
import { textParts } from './balanced-parts.ts';
import { fencedBlocks } from './fenced-blocks.ts';
import { JsonSearch, type ParserPorts, unfit } from './json-search.ts';
import { bullet, listedText } from './listed-text.ts';

/**
 * The list in an answer: a JSON list, else lines without their bullets and numbers, else the parts of a single line without
 * a bullet that are separated by commas.
 * @throws StepError `model_output` if there is none
 */
export function* listIn(answer: string, ports: ParserPorts): SlicedWork<Json> {
  const text = yield* listTextIn(answer);
  const received = text.trimStart().startsWith('[') ? yield* receivedJson(text, { meter: ports.meter }) : null;
  if (received?.kind === 'exceeded') throw unfit(`it ${received.excess}`);
  if (received?.kind === 'value' && isArray(received.value)) return received.value;
  const json = yield* jsonListIn(text, ports);
  if (json !== null) return json;
  const lines = yield* itemsOf(text.split('\n'), withoutBullet, ports);
  const [only] = lines;
  // A comma in an item with a bullet belongs to the item.
  const isSeparated = lines.length === 1 && only !== undefined && !bullet.test(text.trim());
  const found = isSeparated ? yield* itemsOf(only.split(separator), (item) => item.trim(), ports) : lines;
  if (found.length === 0) throw unfit('it contains no list');
  return found;
}

/** A comma, unless it groups the digits of a number, as in 1,000. */
const separator = /(?<!(?<!\d)\d{1,3}),|,(?!\d{3}(?!\d))/;

/** The text of the list: the last block, else the text without the sentences around the list. */
function* listTextIn(answer: string): SlicedWork<string> {
  const blocks = yield* fencedBlocks(answer);
  const last = blocks.at(-1);
  if (last === undefined) return listedText(answer);
  if (!last.isClosed && blocks.length > 1) throw unfit('its last block has no end');
  return last.text;
}

/** How a list of texts, objects or lists begins. One of numbers can be a source, as in [1] or [2, 3]. */
const jsonList = /^\s*\[\s*["{[]/;

/**
 * The only JSON list of a text with other text around it: it stands alone on its lines, at the beginning of the text, or in
 * the only line after a colon. Null if there is none; lists inside other items belong to the items.
 * @throws StepError `model_output` if the list is not valid, or not the only one
 */
function* jsonListIn(text: string, ports: ParserPorts): SlicedWork<Json> {
  const isAtBeginning = jsonList.test(text);
  if (!isAtBeginning && hasBullets(text)) return null;
  const { balanced, unended } = yield* textParts(text);
  const lists = balanced.filter((part) => part.kind === 'list' && jsonList.test(part.text));
  const [last] = lists;
  const isMeant = isAtBeginning || lists.some((list) => list.isAlone) || isAfterColon(text, last?.text);
  if (!isMeant) return null;
  if (unended !== -1) throw unfit('its JSON has no end');
  if (lists.length > 1) throw unfit('it contains several JSON lists');
  const search = new JsonSearch(undefined, ports);
  if (last !== undefined && (yield* search.look(last.text)) === 'fits') return search.found;
  throw unfit(search.issueOr('its list is not valid JSON'));
}

function hasBullets(text: string): boolean {
  return text.split('\n').some((line) => bullet.test(line.trim()));
}

function isAfterColon(text: string, list: string | undefined): boolean {
  if (list === undefined || text.trim().includes('\n')) return false;
  return /[:：]$/.test(text.slice(0, text.indexOf(list)).trimEnd());
}

/** Parts read before the next pause: they take less than a millisecond. */
const partsPerPause = 1000;
/** Reading one part takes as long as some steps. */
const stepsPerPart = 4;

/** The parts that are not empty once they have been read. */
function* itemsOf(
  parts: readonly string[],
  read: (part: string) => string,
  { meter }: ParserPorts,
): SlicedWork<readonly string[]> {
  const items: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (index % partsPerPause === 0) {
      meter.spend(Math.min(partsPerPause, parts.length - index) * stepsPerPart);
      yield;
    }
    const item = read(part);
    if (item !== '') items.push(ownText(item));
  }
  return items;
}

function withoutBullet(line: string): string {
  return line.trim().replace(bullet, '');
}
