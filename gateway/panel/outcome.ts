import { type Readable } from 'node:stream';
import { type VNode } from 'preact';
import { type Look } from './ui/frame/look';

/** A notice on the next page. `idle`: nothing was done; `warn`: a part failed; `bad`: everything failed. */
export interface Told {
  tone: 'good' | 'idle' | 'warn' | 'bad';
  sentence: string;
}

/** Props as in `PageHead`. The browser tab shows `tab`, or else `title`; `line` is the line of the page. */
export type Head = VNode<{ title: string; tab?: string; line?: object | null }>;

/** The result of a handler. */
export type PanelResponse = (
  | {
      kind: 'page';
      /** The heading; null for pages without the menu and for fragments. */
      head: Head | null;
      body: VNode;
      /** 200 if omitted; 422 for a form with issues. */
      status: number;
      /** In seconds. */
      retryAfter?: number;
      /** Another site's page that the browser opens from here. Browsers refuse to redirect a form there. */
      onward?: string;
      /** The new session key, which the forms of the page are bound to. */
      cookie?: string;
    }
  /** A redirect to another page, with a notice to show there. */
  | { kind: 'elsewhere'; path: string; notice: Told | null; cookie?: string | null }
  /** A file, such as a picture. */
  | { kind: 'file'; type: string; content: Buffer | string | Readable; headers?: Record<string, string> }
) & {
  /** The new value of the known-browser cookie. */
  known?: string;
  /** The new appearance for this browser. */
  look?: Look;
  /** The log-in that is under way at a provider; null if it ended. */
  attempt?: string | null;
};

export type PageResponse = Extract<PanelResponse, { kind: 'page' }>;

/**
 * Makes a page. For a form, pass its `FormState`, which has the status.
 * @throws TypeError if the head has no title, which the compiler cannot check
 */
export const page = (
  head: Head | null,
  body: VNode,
  { status, retryAfter }: Pick<PageResponse, 'status' | 'retryAfter'> = { status: 200 },
): PageResponse => {
  if (head && !head.props.title) throw new TypeError('The head of a page needs a title.');
  return { kind: 'page', head, body, status, retryAfter };
};

/** Redirects after an accepted form, so that a reload doesn't submit it again. */
export const seeOther = (
  path: string,
  sentence: string | null = null,
  tone: Told['tone'] = 'good',
): PanelResponse => ({
  kind: 'elsewhere',
  path,
  notice: sentence === null ? null : { tone, sentence },
});

/** Redirects and changes the session; null ends it. */
export const seeOtherAs = (cookie: string | null, path: string): PanelResponse => ({
  kind: 'elsewhere',
  path,
  notice: null,
  cookie,
});
