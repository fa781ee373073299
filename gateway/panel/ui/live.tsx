import { crc32 } from 'node:zlib';
import { createContext, type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { type RequestContext } from '../request-context';
import { LookContext, type Look } from './frame/look';
import { PageRequest } from './page-request';

/** By which a page tells what it shows of a part. */
export const markOf = (html: string): string => crc32(html).toString(36);

/** The parts of the page that is being made, by their ids. */
const Parts = createContext<Map<string, string> | null>(null);

/**
 * A part of a page that stays current: on a page whose route is `live`, what it holds is sent again whenever it has
 * changed. Without script it is as it was when the page was made. A field that somebody is typing in is left alone.
 */
export function Live({ id, children }: { id: string; children: ComponentChildren }): VNode {
  const parts = useContext(Parts);
  const look = useContext(LookContext);
  const request = useContext(PageRequest);
  const html = renderToString(
    <LookContext.Provider value={look}>
      <PageRequest.Provider value={request}>{children}</PageRequest.Provider>
    </LookContext.Provider>,
  );
  parts?.set(id, html);
  return <div id={id} data-live={markOf(html)} dangerouslySetInnerHTML={{ __html: html }} />;
}

/**
 * @param look as the browser that asks is to show pages
 * @param request null of a page that tells of an error
 * @returns the page, and its live parts by their ids
 */
export function renderParts(
  page: VNode,
  look: Look,
  request: RequestContext | null,
): { html: string; parts: Map<string, string> } {
  const parts = new Map<string, string>();
  const html = renderToString(
    <LookContext.Provider value={look}>
      <PageRequest.Provider value={request}>
        <Parts.Provider value={parts}>{page}</Parts.Provider>
      </PageRequest.Provider>
    </LookContext.Provider>,
  );
  return { html, parts };
}
