/** The public address of the panel: at the root of a host, or below a path. */
export interface BaseAddress {
  /** Such as `/chat`; empty at the root. */
  path: string;
  /** The public host; null if unknown. */
  host: string | null;
}

export function baseAddressOf(publicUrl: string | null): BaseAddress {
  const url = publicUrl === null ? null : new URL(publicUrl);
  return { path: url?.pathname.replace(/\/$/, '') ?? '', host: url?.host ?? null };
}

/**
 * Adds the gateway's path to all links of rendered HTML. Pages don't know the path, because the proxy removes
 * it. The pattern matches only attributes, because quotes in texts are escaped.
 */
export const beneath = (path: string, html: string): string =>
  path ? html.replace(/ (href|src|action|formaction|poster)="\/(?!\/)/g, ` $1="${path}/`) : html;

/** Removes the gateway's path from a public address. */
export const within = (path: string, address: string): string =>
  address.startsWith(`${path}/`) ? address.slice(path.length) : address;
