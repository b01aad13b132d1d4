import {
  answerFailure,
  asInteger,
  asOneOf,
  asText,
  defineComponent,
  expressible,
  isObject,
  type Json,
  type JsonObject,
  type OutboundRequest,
  readAnswer,
  type Step,
  StepError,
  textStart,
  withQuery,
} from '@millrace/core';
import { z } from 'zod';

const timeRanges = ['day', 'week', 'month', 'year'] as const;
const defaultLimit = 5;
/** Results of one page of a search engine: a model reads no more with profit. */
const maxLimit = 20;
/** Characters of the excerpt of one result: search engines return a few sentences. */
const maxExcerpt = 1000;

const config = z.strictObject({
  query: z
    .string()
    .min(1)
    .describe('What to search for. Default: the input text.')
    .meta({ examples: ['{{ trigger.payload.company }} annual report'] })
    .optional(),
  endpoint: z
    .string()
    .min(1)
    .describe(
      'The address of a search engine with the API of SearXNG. Default: the `endpoint` in the config of the credential.',
    )
    .meta({ examples: ['https://search.example'] })
    .optional(),
  limit: expressible(z.int().min(1).max(maxLimit))
    .describe(`How many results to return at most, 1 to ${maxLimit}.`)
    .meta({ default: defaultLimit, examples: [10] })
    .optional(),
  language: z
    .string()
    .min(1)
    .describe('The language of the results, as a code. Default: that of the search engine.')
    .meta({ examples: ['en', 'de-CH'] })
    .optional(),
  time_range: expressible(z.enum(timeRanges))
    .describe('How old results may be. Default: any age.')
    .meta({ examples: ['month'] })
    .optional(),
  categories: z
    .string()
    .min(1)
    .describe('Categories of the search engine, separated by commas. Default: its own.')
    .meta({ examples: ['general,news'] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const webSearch = defineComponent({
  type: 'web_search',
  label: 'Web Search',
  category: 'Tools',
  icon: 'search',
  color: '#10b981',
  description: `Searches the web with a search engine that has the API of SearXNG, which can be self-hosted.

The address is \`endpoint\`, or \`endpoint\` in the config of a \`tool\` credential. The credential can also authenticate:
with \`{"endpoint": "https://search.example"}\` as its config, requests are sent without a secret; with \`scheme\` and a
secret as well, requests are sent with it. The engine must allow the format \`json\` (\`search.formats\` in its settings).

\`\`\`json
{ "query": "{{ trigger.payload.company }} annual report", "limit": 5, "time_range": "year" }
\`\`\`

\`result\` is a list of \`{title, url, text, published}\`, the best first. As a tool of an agent, the model gives the query.
Anybody can write a web page, so the results count as untrusted: see \`guard\` of the agent.`,
  errors: [
    'config',
    'credential_locked',
    'credential_missing',
    'credential_origin',
    'credential_unfit',
    'http_blocked',
    'http_busy',
    'http_connection',
    'http_status',
    'http_too_large',
    'input',
    'secret_unreadable',
  ],
  example: {
    workflow: `name: Search
trigger: webhook
steps:
  - id: search
    type: web_search
    endpoint: https://search.example
    query: "{{ trigger.payload.words }}"
    limit: 1
`,
    tests: `tests:
  - name: The first result is returned
    payload: {words: tea}
    http:
      - request: {method: GET, url: 'https://search.example/search?q=tea&format=json'}
        response:
          status: 200
          body:
            results:
              - {title: Tea, url: 'https://tea.example/', content: Leaves in water., publishedDate: null}
              - {title: More tea, url: 'https://more.example/', content: More leaves.}
    expect:
      outputs:
        search:
          result: [{title: Tea, url: 'https://tea.example/', text: Leaves in water., published: null}]
`,
  },
  inputs: [
    {
      name: 'query',
      dataType: 'text',
      required: false,
      suppliedBy: ['query'],
      failsEmpty: true,
      isTextOnly: true,
      description: 'What to search for, unless the config says it.',
    },
  ],
  outputs: [
    { name: 'result', dataType: 'array', description: 'The results, the best first.' },
    { name: 'tool', dataType: 'tool', description: 'The search as a tool for agents.' },
  ],
  subInputs: [],
  effect: 'idempotent',
  tool: {
    description: 'Searches the web. Returns titles, addresses and excerpts of pages.',
    fills: ['query', 'time_range'],
    requires: ['query'],
    isUntrusted: true,
  },
  version: 1,
  config,
  addresses: ['endpoint'],
  credential: {
    type: 'tool',
    knownIn: ({ endpoint }) => ({
      address: typeof endpoint === 'string' && !endpoint.includes('{{') ? endpoint : null,
      headers: [],
      parameters: ['q', 'format'],
    }),
  },
  async run(step) {
    const { ctx } = step;
    const limit = asInteger(step.config.limit ?? defaultLimit, 'limit', { least: 1, most: maxLimit });
    const request = await requestOf(step);
    const response = await ctx.http(request);
    const { meter } = ctx;
    if (response.status === 403) throw new StepError('http_status', forbidden);
    if (response.status >= 400) throw await ctx.inSlices(answerFailure(request, response, { now: ctx.now(), meter }));
    const answer = await ctx.inSlices(readAnswer(request, response, { wanted: 'json', meter }));
    const results = isObject(answer) && Array.isArray(answer.results) ? answer.results : null;
    if (results === null) throw new StepError('input', "The answer has no list 'results': is it a search engine's?");
    return { outputs: { result: results.filter(isObject).slice(0, limit).map(shown) } };
  },
});

const forbidden =
  "The search engine answered with 403. SearXNG does so if 'json' is not in 'search.formats' of its settings.";

async function requestOf({ input, config, ctx }: Step<Config>): Promise<OutboundRequest> {
  const endpoint = config.endpoint ?? (await ctx.credentialEndpoint());
  if (endpoint === null) {
    const message = "'endpoint' is missing: set it, or choose a credential whose config has one.";
    throw new StepError('config', message);
  }
  const address = asText(endpoint, 'endpoint').replace(/\/+$/, '');
  const query = {
    q: asText(config.query ?? input, 'query'),
    format: 'json',
    ...(config.language !== undefined && { language: config.language }),
    ...(config.time_range !== undefined && { time_range: asOneOf(config.time_range, 'time_range', timeRanges) }),
    ...(config.categories !== undefined && { categories: config.categories }),
  };
  const url = withQuery(address.endsWith('/search') ? address : `${address}/search`, query, 'query');
  return { method: 'GET', url, headers: { accept: 'application/json' }, body: null };
}

function shown({ title, url, content, publishedDate }: JsonObject): JsonObject {
  return {
    title: textIn(title),
    url: textIn(url),
    text: textStart(textIn(content), maxExcerpt),
    published: typeof publishedDate === 'string' ? publishedDate : null,
  };
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
