import { pageNotFound } from '../ui/frame/error-page';
import { type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { askFile } from './sandbox-client';

/** Pictures that a browser shows without running anything. */
const PICTURES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

export const isPicture = (type: string): boolean => PICTURES.includes(plain(type));

/** Without parameters: `audio/ogg; codecs=opus` as `audio/ogg`. */
const plain = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

/**
 * A file of a message, through the panel. Its type is what the sender says: so only pictures are shown, with
 * an image type, and everything else is a download.
 */
export async function sendFile({ deps, params }: UserContext): Promise<PanelResponse> {
  const file =
    deps.sandboxUrl === null ? null : await askFile(deps.sandboxUrl, params.file ?? '').catch(() => null);
  if (!file) throw pageNotFound();
  const isShown = isPicture(file.type);
  return {
    kind: 'file',
    type: isShown ? plain(file.type) : 'application/octet-stream',
    content: file.content,
    headers: {
      'content-disposition': isShown ? 'inline' : 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  };
}
