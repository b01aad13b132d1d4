import type { FastifyInstance, InjectOptions } from 'fastify';

/** A parsed answer of the API. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The JSON body; undefined for anything else. A schema of the contract gives it a type: `edge.parse(answer.body).id`. */
  readonly body: unknown;
}

/** The API with one key. */
export interface Api {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Any request, with this key unless it has an Authorization header. */
  inject(options: InjectOptions): Promise<Answer>;
}

export function apiOf(app: FastifyInstance, key: string | null): Api {
  async function inject(options: InjectOptions): Promise<Answer> {
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
    const response = await app.inject({ ...options, headers: { ...authorization, ...options.headers } });
    const { statusCode: status, headers, payload: text } = response;
    const isJson = String(headers['content-type']).startsWith('application/json');
    return { status, headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined };
  }

  function send(method: 'POST' | 'PATCH' | 'PUT', url: string, body: unknown): Promise<Answer> {
    if (body === undefined) return inject({ method, url });
    return inject({ method, url, headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) });
  }

  return {
    get: (url) => inject({ method: 'GET', url }),
    post: (url, body) => send('POST', url, body),
    patch: (url, body) => send('PATCH', url, body),
    put: (url, body) => send('PUT', url, body),
    delete: (url) => inject({ method: 'DELETE', url }),
    inject,
  };
}
