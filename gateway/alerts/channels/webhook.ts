import { faultOfSecret, faultOfUrl } from '../../forwarding/destinations/destination-input';
import { createSecret, signatureHeaders } from '../../forwarding/signatures';
import { isoTime } from '../../time';
import { post, shownAddress, type ChannelKind } from './channel-kind';

/**
 * A webhook signed and structured according to Standard Webhooks (standardwebhooks.com, "Payload structure"): `type`,
 * `timestamp`, `data`. docs/alerts.md explains the fields of `data`.
 */
export const webhook: ChannelKind = {
  label: 'Webhook, signed',
  hint: 'Any program of yours. What it is sent is signed as Standard Webhooks says, with a secret of its own.',
  fields: [
    { name: 'url', label: 'Address', type: 'url', placeholder: 'https://example.com/alerts' },
    {
      name: 'secret',
      label: 'Signing secret',
      isSecret: true,
      isOptional: true,
      hint: 'One is made where you leave it empty; it is shown once.',
    },
  ],
  check: ({ url = '', secret = '' }, rules) => ({
    url: faultOfUrl(rules, url),
    secret: secret ? faultOfSecret(secret) : null,
  }),
  // Always in English, because programs read it.
  async send(deps, { url = '', secret = '' }, { language: _, ...notice }, isForCustomer) {
    const now = deps.clock();
    const body = Buffer.from(
      JSON.stringify({ type: `alert.${notice.what}`, timestamp: isoTime(now), data: notice }),
    );
    await post(deps, { url, headers: signatureHeaders([secret], notice.id, now, body), body }, isForCustomer);
  },
  shown: ({ url }) => shownAddress(url),
};

/** Adds a generated secret if none is given. */
export const withSecret = (settings: Record<string, string>): Record<string, string> => ({
  ...settings,
  secret: settings.secret || createSecret(),
});
