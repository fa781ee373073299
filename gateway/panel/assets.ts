import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { once } from '../primitives/once';
import { PROGRAM_FOLDER } from '../program-folder';

/** A file whose name contains a hash of its content: browsers cache it until it changes. */
export interface Asset {
  href: string;
  type: string;
  plain: Buffer;
  /** By the names that a browser takes them by, the smallest first. */
  compressed: Record<'br' | 'gzip', Buffer>;
}

/** The most there is: a tenth of a second, once, for 6 % less on each first visit than 9. */
const BROTLI_QUALITY = 11;

function asset(file: string, type: string): Asset {
  const plain = readFileSync(join(PROGRAM_FOLDER, 'panel', 'assets', file));
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 12);
  const extension = extname(file);
  return {
    href: `/panel/assets/${file.slice(0, -extension.length)}.${hash}${extension}`,
    type,
    plain,
    compressed: {
      br: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
      gzip: gzipSync(plain),
    },
  };
}

/** Built from the files in `assets/`; read with the first page, so that a start does not wait for them. */
export const assets = once(() => ({
  style: asset('panel.css', 'text/css; charset=utf-8'),
  chatStyle: asset('panel-chat.css', 'text/css; charset=utf-8'),
  phoneStyle: asset('panel-phone.css', 'text/css; charset=utf-8'),
  script: asset('panel.js', 'text/javascript; charset=utf-8'),
  icon: asset('icon.svg', 'image/svg+xml'),
  iconBad: asset('icon-bad.svg', 'image/svg+xml'),
}));

/** @param href as a page names it */
export const assetAt = (href: string): Asset | null =>
  Object.values(assets()).find((one) => one.href === href) ?? null;
