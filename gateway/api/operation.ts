import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type TSchema } from 'typebox';
import { type Refusal } from '../errors';
import { type DestinationRegistry } from '../forwarding/destination-registry';
import { type DestinationRules } from '../http/destination-address';
import { type HttpClient } from '../http/http-client';
import { type LineRegistry } from '../lines/line-registry';
import { type SendDeps } from '../sending/send';
import { type FollowedRegistry } from '../store/follow-registry';
import { type Scope } from '../store/schema';
import { type Vault } from '../store/vault';
import { type PlatformReads } from './http/platform-reads';

/** What the handlers of operations work with. */
export interface ApiDeps extends SendDeps {
  vault: Vault;
  /** Reloads the changes of lines and destinations into memory. */
  registry: FollowedRegistry;
  lines: LineRegistry;
  destinations: DestinationRegistry;
  /** Which addresses a customer may have events sent to. */
  customerRules: DestinationRules;
  platformReads: PlatformReads;
  /** For calls to destinations. */
  http: HttpClient;
  /** Sends the answer to a question that no longer exists to the line's destinations. */
  releaseAnswer(eventId: string): Promise<void>;
  /** Null: links name the host that the request names. */
  publicUrl: string | null;
}

/** Bytes of one message, alone or in a batch. The platform takes less. */
export const MESSAGE_LIMIT = 64 * 1024;

/**
 * One operation of the API. The server registers it, and the OpenAPI document, the page at /docs and the tests are made
 * of the same value.
 */
export interface Operation {
  method: 'get' | 'post' | 'delete';
  /**
   * The path after the version: `/{tid}/messages`. Each name in braces is in `PATH_PARAMETERS`. If the path begins
   * with `{tid}`, the token has to belong to that line; otherwise the token decides the line.
   */
  path: string;
  /** Its heading, which has a sentence in `TAGS`. */
  tag: string;
  /** One word, unlike any other; generated clients call their function by it. */
  id: string;
  /** The scope that its token needs. */
  scope: Scope;
  /** Which of the line's rate limits it counts against. */
  rate: 'sends' | 'reads' | 'changes';
  /** Most bytes of its body, if it may be larger than a message. */
  bodyLimit?: number;
  /** Whether it transfers a file: a line may have only a few of these at the same time. */
  isTransfer?: boolean;
  /** Whether its answer grows with the stored data: a line may have only a few of these at the same time. */
  isList?: boolean;
  /** The last check before the body is read, after token, rate and scope. @throws Refusal */
  check?: (request: FastifyRequest) => Promise<void>;
  /** A few words, as a person asks for it. */
  summary: string;
  /** Markdown: what it does, and what to know before. */
  description: string;
  /** An object whose properties are the query parameters, each with its `description`. */
  query?: TSchema;
  headers?: Record<string, Described>;
  body?: Body;
  answers: Record<number, Answer>;
  /**
   * One refusal of each kind that it may answer, with the words for a customer. Refusals that follow from its
   * rate, its scope, its body and `isTransfer` are known already (`openapi/refusals.ts`), and so are those of
   * every operation.
   */
  refusals: Refusal[];
  /**
   * Whether an error of the platform is forwarded with the platform's own status; then `FORWARDED` is among
   * `refusals`.
   */
  keepsPlatformStatus?: boolean;
  /**
   * The handler. Thrown refusals become error answers.
   * @returns the body of the answer, or the reply once it is sent
   */
  handler: (deps: ApiDeps) => (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** @param route its method and its path, as `post /{tid}/messages` */
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
  contentType?: 'multipart/form-data';
  /** The name of a shared schema (`openapi/message-body.ts`), or a schema. */
  schema: string | object;
  /** By name; the first is what a person who tries it is shown. */
  examples: Record<string, Example>;
}

export interface Example {
  /** Shown in place of its name. */
  summary?: string;
  value: unknown;
}

export interface Answer {
  description: string;
  /** `application/json` by default. */
  contentType?: string;
  schema: string | object;
  examples?: Record<string, Example>;
  headers?: Record<string, Described>;
}
