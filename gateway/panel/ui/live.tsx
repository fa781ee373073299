import { crc32 } from 'node:zlib';
import { createContext, type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { type RequestContext } from '../request-context';
import { LookContext, type Look } from './frame/look';
import { PageRequest } from './page-request';

/** The version of a live part: a checksum of its HTML. */
export const markOf = (html: string): string => crc32(html).toString(36);

/** Collects the live parts of a page during rendering, by id. */
const Parts = createContext<Map<string, string> | null>(null);

/**
 * A part of a page that is sent again when it changes, if the route is `live`. Without script it stays
 * unchanged, and the script doesn't replace a focused field.
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
 * @param look the appearance chosen in this browser
 * @param request null for an error page
 * @returns the page, and its live parts by id
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
