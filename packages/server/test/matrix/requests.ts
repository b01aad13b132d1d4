import type { InjectOptions } from 'fastify';
import { rows } from './rows.ts';
import type { Scene } from './scene.ts';
import type { Endpoint } from './whole-app.ts';

/** The name of an endpoint's row in the permission matrix. */
export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** The path with its parameters filled in. */
export function fill(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)|\*/g, (sign, name: string | undefined) => {
    const value = params[name ?? '*'];
    if (value === undefined) throw new Error(`${path}: give ${sign} a value in packages/server/test/matrix/scene.ts`);
    return value;
  });
}

/** The request of an endpoint with the body of its row, on the objects of a scene. */
export function requestOf({ method, path }: Endpoint, scene: Scene, params = scene.present): InjectOptions {
  const row = rows[nameOf({ method, path })];
  const body = typeof row?.body === 'function' ? row.body(scene) : row?.body;
  return {
    method: method as 'GET',
    url: fill(path, params),
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
  };
}
