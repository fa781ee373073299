import { type CloudApi } from '../cloud-api/client';
import { BAD_TOKEN, lacksPermission, refusalOfFailure, UpstreamRefused } from '../cloud-api/failures';
import { digitsOf } from '../cloud-api/phone-spellings';
import { type PhoneNumberNode } from '../cloud-api/phone-number';
import { quoted } from '../errors';
import { fact, type Fact } from '../wording/facts';

/** The fault of each field; null for a field that could not be checked. */
interface Found {
  field: 'access_token' | 'phone_number_id' | 'waba_id' | 'phone_number' | null;
  fault: Fact;
}

/** The result of checking a line's ids and access token at the platform. */
export interface CredentialReport {
  /** The platform's data about the phone number; null if there is none. */
  node: PhoneNumberNode | null;
  faults: Found[];
}

interface Credentials {
  phoneNumberId: string;
  wabaId: string;
  accessToken: string;
}

/** The platform's error code for an id without an object. */
const NO_SUCH_OBJECT = 100;

/**
 * Reads the phone number and its business account from the platform, as the gateway will later, so that errors are
 * found immediately. If the platform does not list the account's numbers, the account is accepted.
 * @param credentials `phoneNumber`: empty to take the number from the platform
 */
export async function checkCredentials(
  cloudApi: CloudApi,
  { phoneNumber, ...credentials }: Credentials & { phoneNumber: string },
): Promise<CredentialReport> {
  const { phoneNumberId, wabaId, accessToken } = credentials;
  try {
    const node = await cloudApi.phoneNumber({ phoneNumberId, accessToken });
    const [account, isOther] = await Promise.all([
      cloudApi.templates({ wabaId, accessToken }).then(
        () => null,
        (error: unknown) => faultOf(error, 'account'),
      ),
      isOfOtherAccount(cloudApi, credentials),
    ]);
    const { display_phone_number: number = '' } = node;
    const isAnother = number && phoneNumber && digitsOf(number) !== digitsOf(phoneNumber);
    const faults: (Found | null)[] = [
      account ?? (isOther ? { field: 'waba_id', fault: fact('platform.other_account', {}) } : null),
      isAnother ? { field: 'phone_number', fault: fact('platform.other_number', { number }) } : null,
    ];
    return { node, faults: faults.filter((one) => one !== null) };
  } catch (error) {
    return { node: null, faults: [faultOf(error, 'number')] };
  }
}

/** Whether the platform's list of the account's numbers lacks this number. False if this token gets no list. */
export async function isOfOtherAccount(
  cloudApi: Pick<CloudApi, 'phoneNumbers'>,
  { phoneNumberId, ...account }: Credentials,
): Promise<boolean> {
  try {
    const numbers = await cloudApi.phoneNumbers(account, ['id']);
    return numbers.every(({ id }) => id !== phoneNumberId);
  } catch (error) {
    if (refusalOfFailure(error) === null) throw error;
    return false;
  }
}

function faultOf(error: unknown, asked: 'number' | 'account'): Found {
  if (!(error instanceof UpstreamRefused)) return { field: null, fault: fact('platform.unreached', {}) };
  const { code, message, verbatim } = error.answer;
  const says = quoted(message);
  if (verbatim === null) return { field: null, fault: fact('platform.unclear', { says }) };
  if (BAD_TOKEN.includes(code))
    return { field: 'access_token', fault: fact('platform.wrong_token', { says }) };
  if (lacksPermission(code))
    return { field: 'access_token', fault: fact('platform.no_access', { to: asked, says }) };
  const field = asked === 'number' ? 'phone_number_id' : 'waba_id';
  return code === NO_SUCH_OBJECT
    ? { field, fault: fact('platform.unknown_id', { of: asked, says }) }
    : { field: null, fault: fact('platform.unclear', { says }) };
}
