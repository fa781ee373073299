import type * as Media from 'ws-cloud-api/media';
import type * as Templates from 'ws-cloud-api/templates';
import { FILE, type ManagingClient } from './published-client';

// It uses the global `fetch` of the realm that loads it.
const { getMedia, getMediaUrl, uploadMedia } = jest.requireActual<typeof Media>('ws-cloud-api/media');
const { getTemplates } = jest.requireActual<typeof Templates>('ws-cloud-api/templates');

/** Its addresses are fixed. */
export const wsCloudApi: ManagingClient = {
  name: 'ws-cloud-api',

  manage({ url, phoneNumberId, accountId, token }) {
    const config = { apiVersion: '20.0', phoneNumberId, businessId: accountId, token };
    let mediaId = '';
    let mediaUrl = '';
    async function redirected<T>(work: () => Promise<T>): Promise<T> {
      const fetchAt = globalThis.fetch;
      globalThis.fetch = (address, init) =>
        fetchAt(String(address).replace('https://graph.facebook.com', url), init);
      try {
        return await work();
      } finally {
        globalThis.fetch = fetchAt;
      }
    }
    return {
      'list templates': () => redirected(() => getTemplates({ config })),
      'list fields of templates': () =>
        redirected(() => getTemplates({ fields: ['name', 'status', 'rejected_reason'], limit: 3, config })),
      'upload a file': async () => {
        mediaId = await redirected(() => uploadMedia({ media: FILE, config }));
        return mediaId;
      },
      'read the address of a file': async () => {
        mediaUrl = await redirected(() => getMediaUrl({ mediaId, config }));
        return mediaUrl;
      },
      'download a file': async () => (await getMedia({ mediaUrl, config })).text(),
    };
  },
};
