import { type CloudApi } from '../cloud-api/client';
import { refusalOfFailure, UpstreamRefused } from '../cloud-api/failures';
import { type PhoneNumberNode } from '../cloud-api/phone-number';
import { quoted } from '../errors';
import { fact, type Fact } from '../wording/facts';

/** What the platform has to say to a line's ids and credential. */
export interface CredentialReport {
  /** The platform's data of the phone number; null if there is none. */
  node: PhoneNumberNode | null;
  /** Each with the field that it is about; null if the platform could not be asked. */
  faults: { field: 'access_token' | 'phone_number_id' | 'waba_id' | null; fault: Fact }[];
}

interface Credentials {
  phoneNumberId: string;
  wabaId: string;
  accessToken: string;
}

/** The platform's codes for an invalid token, or one without permission. */
const BAD_TOKEN = [0, 190];
const NOT_ALLOWED = [3, 10];
const NO_SUCH_OBJECT = 100;

/**
 * Asks the platform for the phone number and its business account, as the gateway will later, so that errors
 * are found now. If the platform does not list the account's numbers, the account counts as right.
 */
export async function checkCredentials(
  cloudApi: CloudApi,
  { phoneNumberId, wabaId, accessToken }: Credentials,
): Promise<CredentialReport> {
  try {
    const node = await cloudApi.phoneNumber({ phoneNumberId, accessToken });
    const [account, isOther] = await Promise.all([
      cloudApi.templates({ wabaId, accessToken }).then(
        () => null,
        (error: unknown) => faultOf(error, 'account'),
      ),
      isOfOtherAccount(cloudApi, { phoneNumberId, wabaId, accessToken }),
    ]);
    const other = isOther ? { field: 'waba_id' as const, fault: fact('platform.other_account', {}) } : null;
    return { node, faults: [account ?? other].filter((fault) => fault !== null) };
  } catch (error) {
    return { node: null, faults: [faultOf(error, 'number')] };
  }
}

/** Whether the platform lists the numbers of the account, and this one is none of them. False if it lists none to this token. */
export async function isOfOtherAccount(
  cloudApi: Pick<CloudApi, 'phoneNumberIds'>,
  { phoneNumberId, ...account }: Credentials,
): Promise<boolean> {
  try {
    return !(await cloudApi.phoneNumberIds(account)).includes(phoneNumberId);
  } catch (error) {
    if (refusalOfFailure(error) === null) throw error;
    return false;
  }
}

function faultOf(error: unknown, asked: 'number' | 'account'): CredentialReport['faults'][number] {
  if (!(error instanceof UpstreamRefused)) return { field: null, fault: fact('platform.unreached', {}) };
  const { code, message, verbatim } = error.answer;
  const says = quoted(message);
  if (verbatim === null) return { field: null, fault: fact('platform.unclear', { says }) };
  if (BAD_TOKEN.includes(code))
    return { field: 'access_token', fault: fact('platform.wrong_token', { says }) };
  if (NOT_ALLOWED.includes(code) || (code >= 200 && code <= 299))
    return { field: 'access_token', fault: fact('platform.no_access', { to: asked, says }) };
  const field = asked === 'number' ? 'phone_number_id' : 'waba_id';
  return code === NO_SUCH_OBJECT
    ? { field, fault: fact('platform.unknown_id', { of: asked, says }) }
    : { field: null, fault: fact('platform.unclear', { says }) };
}
