import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { notFound } from '../errors';
import { PROGRAM_FOLDER } from '../program-folder';
import { type ApiDescription } from './document';
import { pageOf, POLICY, SCRIPT, STYLE, SWAGGER_FILES } from './docs-page';

/** A file to serve: its type, its bytes, compressed copies, and its ETag. */
interface Served {
  type: string;
  plain: Buffer;
  compressed: Buffer;
  tag: string;
}

const compress = promisify(gzip);

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/** Browsers revalidate each time, so that a new version of the gateway shows immediately. */
const CACHING = 'public, no-cache';

/** The reference page of each API. */
const PAGES = {
  line: pageOf('Messaging Gateway API', '', { href: 'v1/docs', text: 'Management API' }),
  admin: pageOf('Messaging Gateway management API', '../', { href: '../docs', text: 'API of a line' }),
};

/** Loaded on first request: a start needs neither. */
const APIS: Record<keyof typeof PAGES, () => Promise<ApiDescription>> = {
  line: async () => (await import('./line-api.js')).LINE_API,
  admin: async () => (await import('./admin-api.js')).ADMIN_API,
};

/**
 * Handlers for the OpenAPI documents, their reference pages and the files of these pages. Each file is made on first request and
 * cached.
 * @param publicUrl where customers reach the gateway; null if unknown
 */
export function docsRoutes(publicUrl: string | null) {
  const kept = new Map<string, Promise<Served>>();
  const once = (name: string, make: () => Promise<Served>): Promise<Served> => {
    const known = kept.get(name);
    if (known) return known;
    const made = make();
    kept.set(name, made);
    // A failed read is not cached, so that the next request tries again.
    made.catch(() => kept.delete(name));
    return made;
  };

  const own: Record<string, () => Promise<Served>> = {
    'page.js': () => served('text/javascript; charset=utf-8', SCRIPT),
    'page.css': () => served('text/css; charset=utf-8', STYLE),
  };

  return {
    document: (of: keyof typeof APIS) => async (request: FastifyRequest, reply: FastifyReply) => {
      // Tools on other hosts may load the document, which has no secrets.
      reply.header('access-control-allow-origin', '*');
      const make = async () => {
        const [api, { openApiDocument }] = await Promise.all([APIS[of](), import('./document.js')]);
        return served(JSON_TYPE, JSON.stringify(openApiDocument(api, publicUrl)));
      };
      return answer(request, reply, await once(`openapi.json of ${of}`, make));
    },

    page: (of: keyof typeof PAGES) => async (request: FastifyRequest, reply: FastifyReply) =>
      answer(request, reply, await once(`docs of ${of}`, () => served(HTML, PAGES[of]))),

    file: async (request: FastifyRequest, reply: FastifyReply) => {
      const { file } = request.params as { file: string };
      const type = Object.hasOwn(SWAGGER_FILES, file) ? SWAGGER_FILES[file] : undefined;
      const make = type === undefined ? ownFile(file) : () => swaggerFile(file, type);
      if (!make) throw notFound(`/docs/${file}`);
      return answer(request, reply, await once(file, make));
    },
  };

  function ownFile(file: string): (() => Promise<Served>) | undefined {
    return Object.hasOwn(own, file) ? own[file] : undefined;
  }
}

/** The build copies these files here (`bundle.js`). */
const swaggerFile = async (file: string, type: string): Promise<Served> =>
  served(type, await readFile(join(PROGRAM_FOLDER, 'openapi', 'swagger-ui', file)));

async function served(type: string, content: string | Buffer): Promise<Served> {
  const plain = Buffer.from(content);
  const tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, plain, compressed: await compress(plain), tag };
}

function answer({ headers }: FastifyRequest, reply: FastifyReply, content: Served): FastifyReply {
  reply.headers({
    'cache-control': CACHING,
    'content-security-policy': POLICY,
    etag: content.tag,
    'referrer-policy': 'no-referrer',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  });
  if (headers['if-none-match']?.split(',').some((tag) => tag.trim() === content.tag))
    return reply.code(304).send();
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(
    String(headers['accept-encoding'] ?? ''),
  );
  reply.type(content.type);
  if (!takesGzip) return reply.send(content.plain);
  return reply.header('content-encoding', 'gzip').send(content.compressed);
}
