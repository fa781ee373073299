/** The public address of the panel: beneath a path of a host, or at its root. */
export interface BaseAddress {
  /** `/chat`; empty at the top. */
  path: string;
  /** Null if unknown. */
  host: string | null;
}

export function baseAddressOf(publicUrl: string | null): BaseAddress {
  const url = publicUrl === null ? null : new URL(publicUrl);
  return { path: url?.pathname.replace(/\/$/, '') ?? '', host: url?.host ?? null };
}

/**
 * Rendered HTML whose links begin with the path of the gateway. The proxy removes the path before it forwards
 * a request, so pages do not know it. Quotes in texts are escaped, so everything that looks like an attribute
 * is one.
 */
export const beneath = (path: string, html: string): string =>
  path ? html.replace(/ (href|src|action|formaction|poster)="\/(?!\/)/g, ` $1="${path}/`) : html;

/** The internal address for a public one: the reverse of a redirect. */
export const within = (path: string, address: string): string =>
  address.startsWith(`${path}/`) ? address.slice(path.length) : address;
