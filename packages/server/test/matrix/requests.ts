import type { InjectOptions } from 'fastify';
import { bodyOf } from './bodies.ts';
import type { Cast } from './roles.ts';
import type { Scene } from './scene.ts';
import type { Endpoint, WholeApp } from './whole-app.ts';

type Params = Readonly<Record<string, string>>;

/** The id of an object that does not exist, for parameters that the scene has no value for. */
const missingId = '999999999';

/** The name of an endpoint in tests. */
export function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** The path with its parameters filled in. */
export function filled(path: string, params: Params): string {
  return path.replace(/:(\w+)|\*/g, (_sign, name: string | undefined) => params[name ?? '*'] ?? missingId);
}

/**
 * The parameters of a path in a scene. An object that the scene does not have is created by the POST of its collection
 * with the example of that route.
 */
export async function paramsOf(app: WholeApp, cast: Cast, path: string, scene: Scene): Promise<Params> {
  // The key of a scene belongs to the owner.
  if (path.includes('/:username/keys/:key_id/')) return { ...scene.present, username: cast.users.owner.username };
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const unknown = names.find((name) => scene.present[name] === undefined);
  if (unknown === undefined) return scene.present;
  const collection = path.slice(0, path.indexOf(`:${unknown}`));
  const post = app.endpoints.find((each) => each.method === 'POST' && each.path === collection);
  if (post === undefined) {
    throw new Error(`${path}: POST ${collection} does not exist, so packages/server/test/matrix/scene.ts must
create the object of ':${unknown}'`);
  }
  const key = cast.keys.get(post.declared === 'admin' ? 'admin' : 'owner');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const payload = JSON.stringify(bodyOf(post, scene));
  const response = await app.server.inject({
    method: 'POST',
    url: filled(collection, scene.present),
    headers,
    payload,
  });
  const created: Readonly<Record<string, unknown>> = response.statusCode === 201 ? response.json() : {};
  const value = created[unknown] ?? created.id;
  if (value === undefined) throw new Error(`POST ${collection} created no object with an id: ${response.payload}`);
  return { ...scene.present, [unknown]: String(value) };
}

/** MCP clients must accept both. */
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The request of an endpoint in a scene, without a key. */
export function requestOf(endpoint: Endpoint, scene: Scene, params: Params): InjectOptions {
  const body = bodyOf(endpoint, scene);
  return {
    method: endpoint.method as 'GET',
    url: filled(endpoint.path, params),
    ...(body !== undefined && { headers, payload: JSON.stringify(body) }),
  };
}
