import { z } from 'zod';
import { expressible } from '../base/expressible.ts';
import { asInteger } from '../base/resolved.ts';
import type { SettingIssue } from '../component/component.ts';
import { ui } from '../component/ui-hint.ts';
import { StepError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { valueIn } from '../rules/item-scope.ts';

/** The default limit of pages: more are more likely a mistake than a real result. */
const usualPages = 100;
/** More pages take longer than a step should; split them into several steps. */
const mostPages = 1000;
/** Longer than the path to anything in a response. */
const maxPathLength = 1024;
const maxParameterLength = 255;

const path = z
  .string()
  .min(1)
  .max(maxPathLength)
  .meta(ui({ widget: 'path' }));
const parameter = z
  .string()
  .min(1)
  .max(maxParameterLength)
  .describe('The name of the request parameter that selects the page, e.g. `page`.');
const place = z
  .enum(['query', 'body'])
  .describe('Where `parameter` is sent: in the query, or as a key of the `body`.')
  .meta({ default: 'query' })
  .optional();
/** The value of `parameter` for the first page, by the way of counting. */
const firstCounts = { page: 1, offset: 0 } as const;
const first = (by: keyof typeof firstCounts) =>
  expressible(z.int().min(0))
    .describe('The value of `parameter` for the first page.')
    .meta({ default: firstCounts[by] })
    .optional();
const pageSize = expressible(z.int().min(1))
  .describe(
    'The number of items of a full page; a page with fewer items is the last. Without it, an empty page is the last.',
  )
  .optional();
const common = {
  items: path
    .describe('The path to the list in each response, e.g. `data.items`. Default: the response itself.')
    .optional(),
  max_pages: expressible(z.int().min(1).max(mostPages))
    .describe(
      `The number of pages after which reading ends, even if there are more; at most ${mostPages}. ` +
        'Without this key, the step fails if there are more pages than the default.',
    )
    .meta({ default: usualPages })
    .optional(),
};

/** How a step reads a paginated response to its end, in the step's config. */
export const pagination = z.discriminatedUnion('by', [
  z.strictObject({
    by: z.literal('link').describe('The next address is in the `Link` header, with `rel="next"`.'),
    ...common,
  }),
  z.strictObject({
    by: z.literal('next_url').describe('The next address is in the response.'),
    next: path.describe('The path to the next address, e.g. `links.next`. A page without a value there is the last.'),
    ...common,
  }),
  z.strictObject({
    by: z.literal('cursor').describe('The response contains the value of `parameter` for the next page.'),
    next: path.describe('The path to that value, e.g. `meta.next_cursor`. A page without a value there is the last.'),
    parameter,
    in: place,
    ...common,
  }),
  z.strictObject({
    by: z.literal('page').describe('The value of `parameter` is the number of the page.'),
    parameter,
    in: place,
    first: first('page'),
    page_size: pageSize,
    ...common,
  }),
  z.strictObject({
    by: z.literal('offset').describe('The value of `parameter` is the number of items before the page.'),
    parameter,
    in: place,
    first: first('offset'),
    page_size: pageSize,
    ...common,
  }),
]);

/** The setting, before or after its expressions are resolved. */
export type Pagination = z.infer<typeof pagination>;

/** How many pages may be read, and whether more of them are an error. */
export function pageLimit({ max_pages: most }: Pagination): { readonly pages: number; readonly isError: boolean } {
  if (most === undefined) return { pages: usualPages, isError: true };
  return { pages: asInteger(most, 'pagination.max_pages', { least: 1, most: mostPages }), isError: false };
}

/** The value of `parameter` for the first page if pages or items are counted. */
export function firstCount({ by, first: given }: Extract<Pagination, { by: 'page' | 'offset' }>): number {
  if (given === undefined) return firstCounts[by];
  return asInteger(given, 'pagination.first', { least: 0, most: Number.MAX_SAFE_INTEGER });
}

/** The number of items of a full page; null if unknown. */
export function fullPage({ page_size: size }: Extract<Pagination, { by: 'page' | 'offset' }>): number | null {
  if (size === undefined) return null;
  return asInteger(size, 'pagination.page_size', { least: 1, most: Number.MAX_SAFE_INTEGER });
}

/** The other settings of a request that affect pagination. */
interface Unpaged {
  readonly method?: unknown;
  readonly accept_errors?: unknown;
  readonly response?: unknown;
}

/** The reason why pages cannot be read with these settings, if they are known; null if they can. */
export function unpagedReason({ method, accept_errors: acceptsErrors, response }: Unpaged): string | null {
  if (typeof method === 'string' && !method.includes('{{') && method !== 'GET' && method !== 'POST') {
    return `works only with GET and POST, not with ${method}`;
  }
  if (acceptsErrors === true) return 'cannot be combined with accept_errors: an error is not a page';
  return response === 'text' || response === 'file'
    ? `cannot be combined with the response '${response}': pages are JSON`
    : null;
}

/** The errors in the static parts of a pagination setting. */
export function paginationIssues(config: JsonObject): readonly SettingIssue[] {
  const { pagination: given } = config;
  if (given === undefined || !isObject(given)) return [];
  const issue = unpagedReason(config);
  const whole: SettingIssue[] = issue === null ? [] : [{ path: ['pagination'], severity: 'error', message: issue }];
  return [
    ...whole,
    ...placeIssues(given, config.method),
    ...(['items', 'next'] as const).flatMap((key) => pathIssues(given, key)),
  ];
}

/** A parameter in the body of a GET, which most servers ignore; GET is also the default method. */
function placeIssues({ in: place }: JsonObject, method: Json | undefined): readonly SettingIssue[] {
  if (place !== 'body' || (method !== undefined && method !== 'GET')) return [];
  const message = "is sent with GET, and most servers ignore the body of a GET: set 'method', usually to POST";
  return [{ path: ['pagination', 'in'], severity: 'warning', message }];
}

function pathIssues(given: JsonObject, key: 'items' | 'next'): readonly SettingIssue[] {
  const path = given[key];
  if (typeof path !== 'string') return [];
  try {
    valueIn(path);
    return [];
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return [{ path: ['pagination', key], severity: 'error', message: error.message }];
  }
}
