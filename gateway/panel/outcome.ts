import { type Readable } from 'node:stream';
import { type VNode } from 'preact';
import { type Look } from './ui/frame/look';

/** A sentence above the next page: `idle` where nothing was done, `warn` where something could not be, `bad` where it came to nothing. */
export interface Told {
  tone: 'good' | 'idle' | 'warn' | 'bad';
  sentence: string;
}

/** As `PageHead`: its `tab` stands in the browser's tab, else its `title`. One of a line is of a page of that line. */
export type Head = VNode<{ title: string; tab?: string; line?: object | null }>;

/** What a page's handler comes to. */
export type PanelResponse = (
  | {
      kind: 'page';
      /** Its heading, with its title; null of a document by itself, without the menu, and of a part of a page. */
      head: Head | null;
      body: VNode;
      /** 200 where it is not given; 422 for a form that has to be corrected. */
      status: number;
      /** Seconds. */
      retryAfter?: number;
      /** The session from now on; what the page's forms are bound to. */
      cookie?: string;
    }
  /** Another page, with what is to be told there. */
  | { kind: 'elsewhere'; path: string; notice: Told | null; cookie?: string | null }
  /** Anything else, as a picture. */
  | { kind: 'file'; type: string; content: Buffer | string | Readable; headers?: Record<string, string> }
) & {
  /** What the browser keeps from now on, as one in which somebody has logged in. */
  known?: string;
  /** How the browser is to show pages from now on. */
  look?: Look;
};

export type PageResponse = Extract<PanelResponse, { kind: 'page' }>;

/**
 * A form says by itself whether it has to be corrected, or has to wait.
 * @throws where the head has no title for the browser's tab: to the compiler all elements are alike
 */
export const page = (
  head: Head | null,
  body: VNode,
  { status, retryAfter }: Pick<PageResponse, 'status' | 'retryAfter'> = { status: 200 },
): PageResponse => {
  if (head && !head.props.title) throw new TypeError('The head of a page needs a title.');
  return { kind: 'page', head, body, status, retryAfter };
};

/** After a form that was taken: the browser asks for that page, and a reload of it repeats nothing. */
export const seeOther = (
  path: string,
  sentence: string | null = null,
  tone: Told['tone'] = 'good',
): PanelResponse => ({
  kind: 'elsewhere',
  path,
  notice: sentence === null ? null : { tone, sentence },
});

/** The same with another session: `null` ends the one there is. */
export const seeOtherAs = (cookie: string | null, path: string): PanelResponse => ({
  kind: 'elsewhere',
  path,
  notice: null,
  cookie,
});
