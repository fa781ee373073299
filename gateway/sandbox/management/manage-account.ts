/** What clients manage of a business account and its app: the account's node, subscribed apps, uploads, tokens. */
import { type IncomingMessage } from 'node:http';
import { type SandboxLine } from '../platform/account';
import { objectUnknown, parameterInvalid, parameterMissing, parameterNotOneOf } from '../platform/errors';
import { isMissing, type JsonObject } from '../platform/json';
import { emptyFields, lastOf, selectFields, type QueryParameters } from '../platform/read';
import { type SandboxDeps } from '../dependencies';
import { pricingAnalytics } from '../billing/pricing-analytics';
import { timeZoneOf } from '../../usage/time-zones';
import { linesOf } from '../platform/access-token';

const APP = {
  id: '670843887433847',
  name: 'Sandbox app',
  link: 'https://www.facebook.com/games/?app_id=670843887433847',
};

/** `.start(1).dimensions([A,B])`, after the name of a field. */
const PARAMETERS = /\.\w+\((?:[^()]|\([^()]*\))*\)/g;

/** https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account */
export const accountFields = (
  { accountStates, book }: SandboxDeps,
  wabaId: string,
  query: QueryParameters,
): JsonObject => {
  const asked = lastOf(query.fields);
  const fields = asked?.replace(PARAMETERS, '');
  const [, pricing] = /\bpricing_analytics((?:\.\w+\([^()]*\))+)/.exec(asked ?? '') ?? [];
  const { account_review_status, business_verification_status, primary_funding_id, timezone_id } =
    accountStates.of(wabaId);
  const node = {
    name: 'Sandbox account',
    currency: 'USD',
    timezone_id,
    message_template_namespace: '58e6d318_b627_4112_b9c7_2961197553ea',
    account_review_status,
    business_verification_status,
    ownership_type: 'SELF',
    primary_funding_id: primary_funding_id ?? undefined,
    country: 'US',
    ...emptyFields(['analytics', 'conversation_analytics', 'pricing_analytics', 'health_status']),
    ...(pricing && {
      pricing_analytics: pricingAnalytics(book, wabaId, pricing, timeZoneOf(timezone_id) ?? 'UTC'),
    }),
    id: wabaId,
  };
  return selectFields(
    node,
    fields,
    ['name', 'timezone_id', 'message_template_namespace'],
    'WhatsAppBusinessAccount',
  );
};

export const subscribedApps = ({ accountStates }: SandboxDeps, wabaId: string): JsonObject => ({
  data: accountStates.of(wabaId).is_subscribed ? [{ whatsapp_business_api_data: APP }] : [],
});

export function subscribe({ accountStates }: SandboxDeps, wabaId: string, isSubscribed: boolean): JsonObject {
  accountStates.change(wabaId, { is_subscribed: isSubscribed });
  return { success: true };
}

/** https://developers.facebook.com/docs/graph-api/guides/upload */
const UPLOAD_TYPES = ['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4'];

export function beginUpload({ managed }: SandboxDeps, given: JsonObject): JsonObject {
  for (const name of ['file_length', 'file_type']) if (isMissing(given[name])) throw parameterMissing(name);
  const type = String(given.file_type);
  if (!UPLOAD_TYPES.includes(type)) throw parameterNotOneOf('file_type', UPLOAD_TYPES, type);
  const length = Number(given.file_length);
  if (!Number.isInteger(length) || length < 1)
    throw parameterInvalid('file_length must be a number of bytes');
  return { id: managed.begin(type, length).id };
}

export async function continueUpload(
  deps: SandboxDeps,
  id: string,
  request: IncomingMessage,
): Promise<JsonObject> {
  const upload = uploadOf(deps, id);
  const offset = Number(request.headers.file_offset ?? '0');
  if (offset !== upload.received) throw parameterInvalid(`file_offset must be ${upload.received}`);
  for await (const chunk of request) upload.received += (chunk as Buffer).length;
  if (upload.received > upload.length) throw parameterInvalid('The file is longer than file_length');
  return { h: upload.handle };
}

export const readUpload = (deps: SandboxDeps, id: string): JsonObject => ({
  id,
  file_offset: uploadOf(deps, id).received,
});

function uploadOf({ managed }: SandboxDeps, id: string) {
  const upload = managed.upload(id);
  if (!upload) throw objectUnknown('post', id);
  return upload;
}

/** https://developers.facebook.com/docs/graph-api/reference/debug_token */
export function debugToken(
  { accountStates }: SandboxDeps,
  query: QueryParameters,
  all: readonly SandboxLine[],
): JsonObject {
  const lines = linesOf(lastOf(query.input_token), all);
  if (!lines[0])
    return {
      data: {
        error: { code: 190, message: 'Invalid OAuth access token.', subcode: 2069032 },
        is_valid: false,
        scopes: [],
      },
    };
  const { type, expires_at, scopes, accounts } = accountStates.ofToken(lines[0].accessToken);
  const target_ids = accounts ?? [...new Set(lines.map(({ wabaId }) => wabaId))];
  return {
    data: {
      app_id: APP.id,
      type,
      application: APP.name,
      data_access_expires_at: 0,
      expires_at,
      is_valid: true,
      issued_at: 1_767_225_600,
      scopes,
      granular_scopes: scopes.map((scope) => ({ scope, target_ids })),
      user_id: '122106543210987654',
    },
  };
}
