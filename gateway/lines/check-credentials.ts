import { type CloudApi } from '../cloud-api/client';
import { refusalOfFailure, UpstreamRefused } from '../cloud-api/failures';
import { type PhoneNumberNode } from '../cloud-api/phone-number';
import { quoted } from '../errors';

/** What the platform has to say to a line's ids and credential. */
export interface CredentialReport {
  /** What it told of the phone number; null where it told nothing. */
  node: PhoneNumberNode | null;
  /** Sentences, each with what it is about; null where the platform could not be asked. */
  faults: { of: 'accessToken' | 'phoneNumberId' | 'wabaId' | null; sentence: string }[];
}

interface Credentials {
  phoneNumberId: string;
  wabaId: string;
  accessToken: string;
}

/** The platform's codes for a token that is none, or may not do what was asked. */
const BAD_TOKEN = [0, 190];
const NOT_ALLOWED = [3, 10];
const NO_SUCH_OBJECT = 100;

/**
 * Asks the platform for the phone number and its business account, as the gateway will: what is wrong is found now.
 * A platform that does not list the account's numbers is believed for the rest.
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
        (error: unknown) => faultOf(error, 'wabaId'),
      ),
      isOfOtherAccount(cloudApi, { phoneNumberId, wabaId, accessToken }),
    ]);
    const other = isOther ? { of: 'wabaId' as const, sentence: OTHER_ACCOUNT } : null;
    return { node, faults: [account ?? other].filter((fault) => fault !== null) };
  } catch (error) {
    return { node: null, faults: [faultOf(error, 'phoneNumberId')] };
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

export const OTHER_ACCOUNT =
  'The phone number does not belong to this business account. Copy the account ID that the platform shows beside the phone number ID.';

const NAMES = { phoneNumberId: 'phone number', wabaId: 'business account' };

function faultOf(error: unknown, asked: 'phoneNumberId' | 'wabaId'): CredentialReport['faults'][number] {
  if (!(error instanceof UpstreamRefused))
    return { of: null, sentence: 'The platform cannot be reached just now, so nothing could be checked.' };
  const { code, message, verbatim } = error.answer;
  const told = `The platform says: ${quoted(message)}.`;
  if (verbatim === null) return { of: null, sentence: `Nothing could be checked. ${told}` };
  if (BAD_TOKEN.includes(code))
    return {
      of: 'accessToken',
      sentence: `The platform does not take this access token: it is mistyped, has expired or was withdrawn. ${told}`,
    };
  if (NOT_ALLOWED.includes(code) || (code >= 200 && code <= 299))
    return {
      of: 'accessToken',
      sentence: `This access token may not use this ${NAMES[asked]}. Give its system user the assets and the permissions whatsapp_business_messaging and whatsapp_business_management. ${told}`,
    };
  if (code === NO_SUCH_OBJECT)
    return {
      of: asked,
      sentence: `The platform knows no ${NAMES[asked]} with this ID that the access token may use. Take care not to mix up the two IDs. ${told}`,
    };
  return { of: null, sentence: `Nothing could be checked. ${told}` };
}
