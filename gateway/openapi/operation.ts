import { type TSchema } from 'typebox';
import { type Refusal } from '../errors';
import { type Scope } from '../store/schema';

/** One operation of the API, as the list in `operations.ts` tells it. */
export interface Operation {
  method: 'get' | 'post' | 'delete';
  /** Behind the version: `/{tid}/messages`. Every name in braces stands in `PATH_PARAMETERS`. */
  path: string;
  /** The heading under which it stands; it has its sentence in `TAGS`. */
  tag: string;
  /** One word, unlike any other; generated clients call their function by it. */
  id: string;
  /** The scope that its token needs. */
  scope: Scope;
  /** A few words, as a person asks for it. */
  summary: string;
  /** Markdown: what it does, what to know before. */
  description: string;
  /** An object whose properties are the query parameters. */
  query?: TSchema;
  /** What each query parameter is for. */
  queryMeaning?: Record<string, string>;
  headers?: Record<string, Described>;
  body?: Body;
  answers: Record<number, Answer>;
  /** One refusal of each kind that it may answer, with the words that a customer reads. */
  refusals: Refusal[];
  /** Whether an error of upstream is handed on with upstream's own status. */
  keepsUpstreamStatus?: boolean;
}

export interface Described {
  description: string;
  schema: object;
}

export interface Body {
  /** `application/json` where none is given. */
  contentType?: string;
  /** A name of `COMPONENTS`, or a schema. */
  schema: string | object;
  /** By name; the first is what a person who tries it is shown. */
  examples: Record<string, Example>;
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface Answer {
  description: string;
  /** `application/json` where none is given. */
  contentType?: string;
  schema: string | object;
  examples?: Record<string, Example>;
  headers?: Record<string, Described>;
}
