import { jsonKind } from '../base/json-kind.ts';
import { formType, mediaType } from '../base/media-type.ts';
import type { Meter, SlicedWork } from '../base/meter.ts';
import type { OutboundRequest, OutboundResponse, StepContext } from '../component/component.ts';
import { StepError } from '../errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import { valueIn } from '../rules/item-scope.ts';
import { readAnswer } from './answer.ts';
import { linkIn } from './link-header.ts';
import { nextIn } from './next-page.ts';
import { firstCount, fullPage, type Pagination, pageLimit } from './pagination.ts';
import { withParameter } from './url-query.ts';

/** The size of all pages together: the limit of one response. */
const maxPagesBytes = 10 * 1024 * 1024;
/** Servers do not accept longer URLs; the URLs of all pages are stored. */
const maxAddressLength = 16 * 1024;

interface PagerParts {
  readonly pagination: Pagination;
  /** The request as the step's config defines it. */
  readonly request: OutboundRequest;
  readonly resolveUrl: StepContext['resolveUrl'];
  readonly meter?: Meter;
  /** Checks the body of each page. */
  readonly check?: (body: Json) => void;
}

/** Reads a paginated list: builds the request for each next page and collects the items. */
export class Pager {
  readonly items: Json[] = [];
  /** How many pages have been read. */
  pages = 0;
  /** Whether the last page was read, rather than only the most pages allowed. */
  isComplete = false;
  readonly #settings: Pagination;
  readonly #request: OutboundRequest;
  readonly #resolveUrl: StepContext['resolveUrl'];
  readonly #meter: Meter | undefined;
  readonly #check: (body: Json) => void;
  readonly #itemsIn: (body: Json) => Json;
  readonly #limit: ReturnType<typeof pageLimit>;
  /** The page number by requested URL or cursor, never by body, which may be large. */
  readonly #asked = new Map<string | number, number>();
  #last: OutboundRequest;
  #size = 0;

  constructor({ pagination, request, resolveUrl, meter, check = () => {} }: PagerParts) {
    this.#settings = pagination;
    this.#request = request;
    this.#resolveUrl = resolveUrl;
    this.#meter = meter;
    this.#check = check;
    this.#itemsIn = pagination.items === undefined ? (body) => body : valueIn(pagination.items, meter);
    this.#limit = pageLimit(pagination);
    const isCounted = pagination.by === 'page' || pagination.by === 'offset';
    this.#last = isCounted ? this.#withParameter(pagination, firstCount(pagination)) : request;
    const isLed = pagination.by === 'link' || pagination.by === 'next_url';
    const address = isLed ? resolveUrl(request.url, request.url) : null;
    if (address !== null) this.#asked.set(address.href, 1);
  }

  /** The request for the first page. */
  get first(): OutboundRequest {
    return this.#last;
  }

  /**
   * Adds a page and returns the request for the next one; null after the last.
   * @throws StepError `input`, `http_too_large`, `http_blocked`, `expression`, `config`
   */
  *take(response: OutboundResponse): SlicedWork<OutboundRequest | null> {
    this.pages += 1;
    this.#size += response.body.size;
    if (this.#size > maxPagesBytes) throw tooLarge(this.pages);
    const meter = this.#meter;
    const body = yield* readAnswer(this.#last, response, { wanted: 'json', ...(meter && { meter }) });
    this.#check(body);
    const items = this.#pageItems(body);
    for (const item of items) this.items.push(item);
    const next = this.#next(body, items.length, response);
    this.isComplete = next === null;
    const { pages: limit, isError } = this.#limit;
    if (this.pages > limit && (next !== null || items.length > 0)) throw tooMany(this.#settings, limit);
    if (next === null) return null;
    // If more pages are an error, one more is requested: if it is empty, there are none.
    return this.pages < (isError ? limit + 1 : limit) ? this.#go(next) : null;
  }

  #pageItems(body: Json): readonly Json[] {
    // A server may respond 204 if there are no more items.
    if (body === null && this.#settings.items === undefined) return [];
    const items = this.#itemsIn(body);
    if (isArray(items)) return items;
    const place = this.#settings.items ?? 'the response itself';
    const remedy = "set 'pagination.items' to the path of the list";
    throw new StepError('input', `Page ${this.pages} has no list at ${place}, but ${jsonKind(items)}: ${remedy}.`);
  }

  #next(body: Json, count: number, response: OutboundResponse): OutboundRequest | null {
    const settings = this.#settings;
    switch (settings.by) {
      case 'link':
        return this.#leadTo(linkIn(response.headers.link ?? '', 'next'), count, response);
      case 'next_url':
        return this.#leadTo(nextIn(body, settings.next, this.#meter), count, response);
      case 'cursor': {
        const cursor = nextIn(body, settings.next, this.#meter);
        return cursor === null || this.#isEnd(cursor, count) ? null : this.#withParameter(settings, cursor);
      }
      case 'page':
      case 'offset': {
        if (count === 0 || count < (fullPage(settings) ?? 0)) return null;
        const before = settings.by === 'page' ? this.pages : this.items.length;
        return this.#withParameter(settings, firstCount(settings) + before);
      }
    }
  }

  /** The request for a URL that the server gave. The request's contents are meant for its own origin only. */
  #leadTo(given: string | number | null, count: number, { url, isFromHome }: OutboundResponse): OutboundRequest | null {
    if (given === null || given === '') return null;
    const home = this.#resolveUrl(this.#request.url, this.#request.url)?.origin ?? 'its own';
    // Otherwise another origin could choose what is requested from the own origin, and see data that only the own
    // origin may see.
    if (!isFromHome) {
      const message = `Page ${this.pages} came by a redirect from another origin than ${home}: its next address is not followed.`;
      throw new StepError('http_blocked', message);
    }
    const target = this.#resolveUrl(String(given), url);
    if (target === null) throw new StepError('input', `Page ${this.pages} gives a next address that is not a URL.`);
    if (target.origin !== home) {
      const message = `Page ${this.pages} leads to another origin than ${home}, where nothing is sent.`;
      throw new StepError('http_blocked', message);
    }
    if (target.href.length > maxAddressLength) {
      const message = `Page ${this.pages} gives a next address of more than ${maxAddressLength} characters.`;
      throw new StepError('input', message);
    }
    return this.#isEnd(target.href, count) ? null : { ...this.#request, url: target.href, isServerGiven: true };
  }

  /**
   * Whether the list ends because the next page was requested before: some servers link an empty last page to itself.
   */
  #isEnd(next: string | number, count: number): boolean {
    const page = this.#asked.get(next);
    if (page === undefined) {
      this.#asked.set(next, this.pages + 1);
      return false;
    }
    if (count === 0) return true;
    throw new StepError('input', `Page ${this.pages} leads back to page ${page}: the list would never end.`);
  }

  /** With the key, the server performs the request for each page only once. */
  #go(next: OutboundRequest): OutboundRequest {
    this.#last = next;
    const { 'idempotency-key': key } = next.headers;
    if (key === undefined) return next;
    return { ...next, headers: { ...next.headers, 'idempotency-key': `${key}-${this.pages + 1}` } };
  }

  #withParameter(settings: { parameter: string; in?: 'query' | 'body' | undefined }, value: string | number) {
    const { url, body, headers } = this.#request;
    if (settings.in !== 'body') return { ...this.#request, url: withParameter(url, settings.parameter, String(value)) };
    const { parameter } = settings;
    if (mediaType(headers['content-type']) === formType && typeof body === 'string') {
      return { ...this.#request, body: withParameter(`?${body}`, parameter, String(value)).slice(1) };
    }
    const object = { ...bodyObject(body), [parameter]: value };
    const typed = { 'content-type': 'application/json', ...headers };
    return { ...this.#request, headers: typed, body: JSON.stringify(object) };
  }
}

function bodyObject(body: OutboundRequest['body']): JsonObject {
  const value = body === null ? {} : typeof body === 'string' ? parsed(body) : null;
  if (isObject(value)) return value;
  throw new StepError('config', "'body' must be an object to which the parameter of 'pagination' can be added.");
}

function parsed(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}

function tooLarge(pages: number): StepError {
  const most = maxPagesBytes / 1024 / 1024;
  const message = `The first ${pages} pages are larger than ${most} MiB together: read fewer with 'pagination.max_pages'.`;
  return new StepError('http_too_large', message);
}

function tooMany(settings: Pagination, pages: number): StepError {
  const doubt = 'parameter' in settings ? `, or does the server not know '${settings.parameter}'` : '';
  return new StepError('input', `There are more than ${pages} pages: set 'pagination.max_pages'${doubt}?`);
}
