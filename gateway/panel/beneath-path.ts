/** Where the panel is reached, as seen from outside: beneath a path of a host, or at its top. */
export interface BaseAddress {
  /** `/chat`; empty at the top. */
  path: string;
  /** Null where it is not known. */
  host: string | null;
}

export function baseAddressOf(publicUrl: string | null): BaseAddress {
  const url = publicUrl === null ? null : new URL(publicUrl);
  return { path: url?.pathname.replace(/\/$/, '') ?? '', host: url?.host ?? null };
}

/**
 * Rendered HTML with its addresses beneath a path. The proxy takes the path away from what it passes on, so that pages
 * know nothing of it. A quote in a text is escaped: what looks like an attribute is one.
 */
export const beneath = (path: string, html: string): string =>
  path ? html.replace(/ (href|src|action|formaction|poster)="\/(?!\/)/g, ` $1="${path}/`) : html;

/** An address of the panel as it is known within: that of a redirection reversed. */
export const within = (path: string, address: string): string =>
  address.startsWith(`${path}/`) ? address.slice(path.length) : address;
