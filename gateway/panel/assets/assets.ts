import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { SCRIPT } from './script';
import { STYLE } from './style';

/** A file that pages name by its content: a browser asks for it once, and for another as soon as it changes. */
export interface Asset {
  href: string;
  type: string;
  plain: Buffer;
  compressed: Buffer;
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0f766e"/><path d="M9 10.5h14M9 16h8.5M9 21.5h5M19 18.5l4 3-4 3" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

function asset(name: string, extension: string, type: string, content: string): Asset {
  const plain = Buffer.from(content);
  const tag = createHash('sha256').update(plain).digest('hex').slice(0, 12);
  return {
    href: `/panel/assets/${name}.${tag}.${extension}`,
    type,
    plain,
    compressed: gzipSync(plain),
  };
}

export const ASSETS = {
  style: asset('panel', 'css', 'text/css; charset=utf-8', STYLE),
  script: asset('panel', 'js', 'text/javascript; charset=utf-8', SCRIPT),
  icon: asset('icon', 'svg', 'image/svg+xml', ICON),
};

/** @param href as a page names it */
export const assetAt = (href: string): Asset | null =>
  Object.values(ASSETS).find((one) => one.href === href) ?? null;
