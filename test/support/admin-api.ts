import { createAdminToken } from '../../gateway/admin-tokens/manage-admin-tokens';
import { type AdminTokenInput } from '../../gateway/admin-tokens/admin-token-input';
import { type OperationDescription } from '../../gateway/api/operation';
import { ADMIN_OPERATIONS } from '../../gateway/api/v1/operations';
import { commandActor } from '../../gateway/cli/offline';
import { call, type Json, type Reply, type Scene } from './scene';

/** Creates an admin token; without fields, one for everything. */
export const adminToken = async (scene: Scene, given: Partial<AdminTokenInput> = {}): Promise<string> =>
  (
    await scene.change((deps) =>
      createAdminToken(deps, commandActor(), null, { name: 'terraform', ...given }),
    )
  ).token;

/** Calls the management API. @param path after `/v1` */
export const askAdmin = (
  scene: Pick<Scene, 'gateway'>,
  token: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  call(`${scene.gateway.url}/v1${path}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });

/** The path of an operation with values for its parameters. */
export const pathWith = (
  { path, id }: Pick<OperationDescription, 'path' | 'id'>,
  values: Record<string, string | number>,
): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`No value for {${name}} in the path of ${id}`);
    return encodeURIComponent(value);
  });

/** The first example of the body of an operation. */
export const exampleBody = ({ body }: OperationDescription): Json =>
  body && (Object.values(body.examples)[0]?.value as Json);

/** A value for each path parameter that names nothing. */
export const NOTHING: Record<string, string> = Object.fromEntries(
  ADMIN_OPERATIONS.flatMap(({ path }) =>
    Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => [name, '999999']),
  ),
);
