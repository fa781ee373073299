import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type TSchema } from 'typebox';
import { type AdminTokenRegistry } from '../admin-tokens/admin-token-registry';
import { type Refusal } from '../errors';
import { type DestinationRegistry } from '../forwarding/destination-registry';
import { type DestinationRules } from '../http/destination-address';
import { type HttpClient } from '../http/http-client';
import { type LineRegistry } from '../lines/line-registry';
import { type TemplateChangeDeps } from '../management/templates';
import { type SendDeps } from '../sending/send';
import { type FollowedRegistry } from '../store/follow-registry';
import { type Scope } from '../store/schema';
import { type Vault } from '../store/vault';
import { type PlatformReads } from './http/platform-reads';

/** The dependencies of operation handlers. */
export interface ApiDeps extends SendDeps, TemplateChangeDeps {
  vault: Vault;
  /** Loads changes of lines and destinations into memory. */
  registry: FollowedRegistry;
  lines: LineRegistry;
  adminTokens: AdminTokenRegistry;
  destinations: DestinationRegistry;
  /** The rules for URLs that customers may register. */
  customerRules: DestinationRules;
  platformReads: PlatformReads;
  /** For calls to destinations. */
  http: HttpClient;
  /** Sends the answer to a removed question to the line's destinations. */
  releaseAnswer(eventId: string): Promise<void>;
  /** Null: links use the request's host. */
  publicUrl: string | null;
}

/** The most bytes of one message, alone or in a batch. The platform's limit is lower. */
export const MESSAGE_LIMIT = 64 * 1024;

/** What the server, the OpenAPI document, the reference page and the tests use of every operation. */
export interface OperationDescription {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path after the version. Each name in braces is in `PATH_PARAMETERS`. */
  path: string;
  /** The heading, which is described in `TAGS`. */
  tag: string;
  /** A unique single word, which generated clients use as the function name. */
  id: string;
  /** The rate limit that counts the request. */
  rate: 'sends' | 'reads' | 'changes';
  /** The most bytes of the body, if it may be larger than a message. */
  bodyLimit?: number;
  /** A short name in a user's words. */
  summary: string;
  /** Markdown: what the operation does, and what to know before using it. */
  description: string;
  /** An object whose properties are the query parameters, each with its `description`. */
  query?: TSchema;
  headers?: Record<string, Described>;
  body?: Body;
  answers: Record<number, Answer>;
  /**
   * One refusal of each kind that the operation may return, with the customer's message. Refusals that follow from
   * its rate, scope, body and `isTransfer` are derived (`openapi/refusals.ts`), as are those of every operation. Made
   * when a document needs them, because their sentences would delay the start.
   */
  refusals: () => Refusal[];
  /** Whether a platform error keeps the platform's status; `FORWARDED` is then among `refusals`. */
  keepsPlatformStatus?: boolean;
  /** Whether it transfers a file, which a line may do only a few times concurrently. */
  isTransfer?: boolean;
  /** Whether the response grows with the stored data, which a line may request only a few times concurrently. */
  isList?: boolean;
}

/**
 * One operation of the API of a line. If its path begins with `{tid}`, as in `/{tid}/messages`, the token must open
 * that line; otherwise the token determines the line.
 */
export interface Operation extends OperationDescription {
  method: 'get' | 'post' | 'delete';
  /** The scope that the token needs. */
  scope: Scope;
  /** The scope for objects that need another one, of which the description tells. */
  scopeOf?: (deps: ApiDeps) => (request: FastifyRequest) => Promise<Scope>;
  /** The last check before the body is read, after token, rate and scope. @throws Refusal */
  check?: (request: FastifyRequest) => void;
  /**
   * The handler. Thrown refusals become error responses.
   * @returns the response body, or the reply after it is sent
   */
  handler: (deps: ApiDeps) => (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** @param route method and path, such as `post /{tid}/messages` */
export function operation(
  route: `${Operation['method']} /${string}`,
  described: Omit<Operation, 'method' | 'path'>,
): Operation {
  const [method, path = ''] = route.split(' ');
  return { method: method as Operation['method'], path, ...described };
}

export interface Described {
  description: string;
  schema: object;
}

export interface Body {
  /** `application/json` by default. */
  contentType?: 'multipart/form-data' | 'application/octet-stream';
  /** Whether the request may come without a body. */
  isOptional?: boolean;
  /** The name of a shared schema (`openapi/message-body.ts`), or a schema. */
  schema: string | object;
  /** By name; the first one is preselected on the page at /docs. */
  examples: Record<string, Example>;
}

export interface Example {
  /** Shown instead of the name. */
  summary?: string;
  value: unknown;
}

export interface Answer {
  description: string;
  /** `application/json` by default. */
  contentType?: string;
  /** Omitted if the answer has no body. */
  schema?: string | object;
  examples?: Record<string, Example>;
  headers?: Record<string, Described>;
}
