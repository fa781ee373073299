import { pageNotFound } from '../ui/frame/error-page';
import { type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { askFile } from '../send/sandbox-client';

/** Image types that cannot run scripts. */
const PICTURES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

export const isPicture = (type: string): boolean => PICTURES.includes(plain(type));

/** Removes parameters: `audio/ogg; codecs=opus` becomes `audio/ogg`. */
const plain = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

/**
 * Serves a file of a message. The sender declares the type, so only pictures are shown, and all others are
 * downloads.
 */
export async function sendFile({ deps, params }: UserContext): Promise<PanelResponse> {
  const { sandboxUrl, lines } = deps;
  const isSeen = (phoneNumberId: string) => lines.byPhoneNumberId(phoneNumberId) !== null;
  const file =
    sandboxUrl === null ? null : await askFile(sandboxUrl, params.file ?? '', isSeen).catch(() => null);
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
