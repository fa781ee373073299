import { typedNumber } from '../cloud-api/phone-spellings';
import { invalidField, type Refusal } from '../errors';
import { faultOfCredential } from '../primitives/credential';
import { Issues } from '../primitives/issues';
import { LONGEST_PAUSE_HOURS, type QualityMode, type WindowMode } from '../store/schema';
import { mayFor, mayIn, type By } from '../rights/grants';
import { ownedLine, type LineRow } from '../store/tables/lines';
import { fact, type Fact } from '../wording/facts';

/** The submitted fields of a line. Omitted fields are not validated. */
export interface LineInput {
  name?: string;
  phoneNumberId?: string;
  phoneNumber?: string;
  wabaId?: string;
  accessToken?: string;
  appSecret?: string;
  windowMode?: string;
  qualityMode?: string;
  /** Hours for which a colleague's reply pauses automations for its contact. As text: empty or 0 for none. */
  automationPauseHours?: number | string;
  /** Null: no customer. */
  customerId?: number | null;
}

/** The validated fields. */
type LineValues<Given extends LineInput> = Given & {
  windowMode?: WindowMode;
  qualityMode?: QualityMode;
  automationPauseHours?: number;
};

export const WINDOW_MODES: readonly WindowMode[] = ['text', 'all', 'upstream'];
export const QUALITY_MODES: readonly QualityMode[] = ['normal', 'strict'];

const LONGEST_NAME = 200;
/** The most characters of an access token or an app secret. */
const LONGEST_CREDENTIAL = 2048;

/**
 * Validates the fields of a line, for every interface.
 * @param stored null for a new line. A stored name may keep characters that are no longer accepted
 * @throws Refusal with all issues, by field
 */
export function lineInput<Given extends LineInput>(
  typed: Given,
  stored: LineRow | null = null,
): LineValues<Given> {
  const given = trimmed(typed);
  const { name, phoneNumberId, phoneNumber, wabaId, accessToken, appSecret } = given;
  const issues = new Issues();
  const add = (field: string, fault: Fact | null) => issues.add(field, 'line_field', fault);
  if (name !== undefined) issues.addName(name, LONGEST_NAME, stored?.name);
  if (phoneNumberId !== undefined && !isPlatformId(phoneNumberId))
    add('phone_number_id', fact('number_id.invalid', {}));
  if (wabaId !== undefined && !isPlatformId(wabaId)) add('waba_id', fact('waba_id.invalid', {}));
  const ids = [phoneNumberId ?? stored?.phone_number_id, wabaId ?? stored?.waba_id];
  if ((phoneNumberId ?? wabaId) !== undefined && ids[0] === ids[1]) add('waba_id', fact('waba_id.same', {}));
  if (phoneNumber !== undefined && !isPhoneNumber(phoneNumber))
    add('phone_number', fact('phone.invalid', {}));

  if (accessToken !== undefined) add('access_token', faultOfSecret(accessToken, 'access_token'));
  if (appSecret !== undefined) add('app_secret', faultOfSecret(appSecret, 'app_secret'));

  issues.addChoice('window', WINDOW_MODES, given.windowMode);
  issues.addChoice('quality', QUALITY_MODES, given.qualityMode);
  const most = LONGEST_PAUSE_HOURS;
  const automationPauseHours =
    given.automationPauseHours === undefined
      ? undefined
      : issues.addWhole(
          'pause_hours',
          given.automationPauseHours === '' ? 0 : given.automationPauseHours,
          [0, most],
          fact('hours.range', { most }),
        );
  issues.check();
  return { ...given, automationPauseHours } as LineValues<Given>;
}

function trimmed<Given extends LineInput>(typed: Given): Given {
  const entries = Object.entries(typed).map(([field, value]: [string, unknown]) => [
    field,
    typeof value === 'string' ? value.trim() : value,
  ]);
  return { ...typed, ...Object.fromEntries(entries) };
}

/**
 * The refusal if another line has the phone number ID. Users who may not see that line only learn that they cannot
 * use the ID.
 */
export function numberIdTaken(by: By, other: LineRow | undefined): Refusal {
  const isSeen =
    !by || (other ? mayFor(by, 'events.read', ownedLine(other)) : mayIn(by, 'events.read', null));
  return invalidField(
    'phone_number_id',
    'line_field',
    fact(isSeen ? 'number_id.taken' : 'number_id.elsewhere', {}),
  );
}

/** Whether the text has the format of a platform id: a phone number's or a business account's. */
const isPlatformId = (text: string): boolean => /^\d{1,64}$/.test(text);

/** Whether the text is a phone number with country code, with any spacing. */
export const isPhoneNumber = (text: string): boolean =>
  /^\d{5,20}$/.test(typedNumber(text).replace(/[+\s().-]/g, ''));

function faultOfSecret(secret: string, what: 'access_token' | 'app_secret'): Fact | null {
  if (!secret) return fact(`${what}.missing`, {});
  return secret.length > LONGEST_CREDENTIAL ? fact('copied.long', { what }) : faultOfCredential(secret, what);
}
