import { type CloudApi, type ForwardedRequest } from '../cloud-api/client';
import { UpstreamUnreachable } from '../cloud-api/failures';
import { at, parsed } from '../cloud-api/json/json-value';

/**
 * Uploads that can be resumed, of files for the profile and for templates:
 * https://developers.facebook.com/docs/graph-api/guides/upload
 */

/** Where uploads begin: the platform takes the app of the access token. */
export const UPLOADS = 'app/uploads';

type Platform = Pick<CloudApi, 'forward'>;

/** The platform's id of an upload. @param answer to the request that begins it */
export const uploadIdIn = (answer: string): string =>
  textAt(answer, 'id', 'The platform answered without an id of the upload');

/**
 * Uploads the bytes from an offset on.
 * @param id the platform's
 * @param length how many bytes follow
 * @returns the platform's answer
 */
export const uploadBytes = (
  cloudApi: Platform,
  accessToken: string,
  id: string,
  { body, length, offset }: { body: ForwardedRequest['body']; length: number; offset: string },
): Promise<string> =>
  cloudApi.forward(
    {
      ...{ method: 'post', path: id, query: {}, body },
      contentType: 'application/octet-stream',
      headers: { 'content-length': String(length), file_offset: offset },
    },
    accessToken,
  );

/** Uploads a whole file. @returns its handle, which only the app of the access token can use */
export async function uploadFile(
  cloudApi: Platform,
  accessToken: string,
  { name, type, bytes }: { name: string; type: string; bytes: Uint8Array },
): Promise<string> {
  const query = { file_name: name, file_length: String(bytes.length), file_type: type };
  const id = uploadIdIn(await cloudApi.forward({ method: 'post', path: UPLOADS, query }, accessToken));
  const body = Buffer.from(bytes);
  const answer = await uploadBytes(cloudApi, accessToken, id, { body, length: body.length, offset: '0' });
  return textAt(answer, 'h', 'The platform answered without a handle of the upload');
}

function textAt(answer: string, field: string, missing: string): string {
  const text = at(parsed(answer), field);
  if (typeof text !== 'string') throw new UpstreamUnreachable(missing);
  return text;
}
