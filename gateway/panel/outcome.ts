import { type Readable } from 'node:stream';
import { type VNode } from 'preact';
import { type Look } from './ui/frame/look';

/**
 * A sentence above the next page: `idle` if nothing was done, `warn` if a part failed, `bad` if all failed.
 */
export interface Told {
  tone: 'good' | 'idle' | 'warn' | 'bad';
  sentence: string;
}

/**
 * As in `PageHead`: the browser's tab shows `tab`, or else `title`. `line` names the line that the page
 * belongs to.
 */
export type Head = VNode<{ title: string; tab?: string; line?: object | null }>;

/** The result of a page's handler. */
export type PanelResponse = (
  | {
      kind: 'page';
      /** Its heading, with its title; null of a document by itself, without the menu, and of a part of a page. */
      head: Head | null;
      body: VNode;
      /** 200 if omitted; 422 for a form with issues. */
      status: number;
      /** Seconds. */
      retryAfter?: number;
      /** The session from now on; what the page's forms are bound to. */
      cookie?: string;
    }
  /** A redirect to another page, with a notice to show there. */
  | { kind: 'elsewhere'; path: string; notice: Told | null; cookie?: string | null }
  /** Anything else, as a picture. */
  | { kind: 'file'; type: string; content: Buffer | string | Readable; headers?: Record<string, string> }
) & {
  /** A cookie that marks the browser as one in which the user has logged in. */
  known?: string;
  /** How the browser is to show pages from now on. */
  look?: Look;
};

export type PageResponse = Extract<PanelResponse, { kind: 'page' }>;

/**
 * A form sets the status by itself.
 * @throws if the head has no title for the browser's tab, which the compiler cannot check
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
