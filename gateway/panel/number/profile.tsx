import { Buffer } from 'node:buffer';
import { type VNode } from 'preact';
import { textOf, type Json } from '../../cloud-api/json/json-value';
import { accessTokenOf, type Line } from '../../lines/line';
import { PROFILE_FIELDS, PROFILE_TEXTS, profileChange, VERTICALS } from '../../management/number';
import { uploadFile } from '../../management/uploads';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { FileField, Form, LongField, SelectField, Submit, TextField } from '../ui/form';
import { lineOfRoute } from '../ui/frame/line-head';
import { Card } from '../ui/parts';
import { madeChange, numberAddress, numberPage, ReadFailure, readPart } from './number-head';

const EDGE = 'whatsapp_business_profile';
const PICTURES = ['image/jpeg', 'image/png'];
const WEBSITES = ['website_1', 'website_2'];

/** Industries. Those that are not in this list are shown in the platform's word. */
const verticalWords = (): Record<string, string> => ({
  AUTO: t.of('industry', 'Automotive'),
  BEAUTY: t.of('industry', 'Beauty, spa and salon'),
  APPAREL: t.of('industry', 'Clothing and apparel'),
  EDU: t.of('industry', 'Education'),
  ENTERTAIN: t.of('industry', 'Entertainment'),
  EVENT_PLAN: t.of('industry', 'Event planning'),
  FINANCE: t.of('industry', 'Finance and banking'),
  GROCERY: t.of('industry', 'Food and grocery'),
  GOVT: t.of('industry', 'Public service'),
  HOTEL: t.of('industry', 'Hotel and lodging'),
  HEALTH: t.of('industry', 'Medical and health'),
  NONPROFIT: t.of('industry', 'Nonprofit'),
  PROF_SERVICES: t.of('industry', 'Professional services'),
  RETAIL: t.of('industry', 'Shopping and retail'),
  TRAVEL: t.of('industry', 'Travel and transportation'),
  RESTAURANT: t.of('industry', 'Restaurant'),
  ALCOHOL: t.of('industry', 'Alcoholic drinks'),
  ONLINE_GAMBLING: t.of('industry', 'Online gambling and games'),
  PHYSICAL_GAMBLING: t.of('industry', 'Gambling on site'),
  OTC_DRUGS: t.of('industry', 'Over-the-counter medicine'),
  MATRIMONY_SERVICE: t.of('industry', 'Matrimony services'),
  NOT_A_BIZ: t.of('industry', 'Not a business'),
  OTHER: t.of('industry', 'Other'),
});

const readProfile = (context: UserContext, line: Awaited<ReturnType<typeof lineOfRoute>>) =>
  readPart(context, line, EDGE, { fields: PROFILE_FIELDS.join(',') });

/** The fields of the form. */
function fieldsOf(profile: Json): Record<string, string> {
  const websites = Array.isArray(profile.websites) ? profile.websites.map(textOf) : [];
  const texts = Object.keys(PROFILE_TEXTS).map((name) => [name, textOf(profile[name])]);
  return {
    ...(Object.fromEntries(texts) as Record<string, string>),
    ...Object.fromEntries(WEBSITES.map((name, index) => [name, websites[index] ?? ''])),
    vertical: textOf(profile.vertical),
  };
}

export async function showProfile(context: UserContext, typed?: FormState): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const { entries, failure } = await readProfile(context, line);
  const profile = entries[0] ?? {};
  const state = typed ?? new FormState(fieldsOf(profile));
  return numberPage(
    line,
    '',
    <>
      {failure !== null && <ReadFailure failure={failure} />}
      {(failure === null || typed) && (
        <Card title={t('What contacts see when they open your business')}>
          <ProfileForm
            action={numberAddress(line)}
            state={state}
            hasPicture={Boolean(profile.profile_picture_url)}
          />
        </Card>
      )}
    </>,
    state,
  );
}

interface ProfileFormProps {
  action: string;
  state: FormState;
  hasPicture: boolean;
}

function ProfileForm({ action, state, hasPicture }: ProfileFormProps): VNode {
  const words = verticalWords();
  const chosen = state.text('vertical');
  const verticals = chosen && !VERTICALS.includes(chosen) ? [chosen, ...VERTICALS] : VERTICALS;
  return (
    <Form action={action} state={state} files>
      <TextField
        name="about"
        label={t.of('profile', 'About')}
        maxLength={PROFILE_TEXTS.about}
        hint={t('One line below the name, for example: Open from 9 to 18. It cannot be emptied.')}
      />
      <LongField name="description" label={t('Description')} maxLength={PROFILE_TEXTS.description} optional />
      <TextField name="address" label={t('Address')} maxLength={PROFILE_TEXTS.address} optional />
      <TextField name="email" label={t('E-mail')} type="email" maxLength={PROFILE_TEXTS.email} optional />
      {WEBSITES.map((name, index) => (
        <TextField
          key={name}
          name={name}
          label={t('Website {number}', { number: index + 1 })}
          type="url"
          maxLength={256}
          placeholder="https://example.com"
          optional
        />
      ))}
      <SelectField
        name="vertical"
        label={t('Industry')}
        choices={[
          ...(chosen ? [] : [{ value: '', label: t.of('industry', 'Not set') }]),
          ...verticals.map((value) => ({ value, label: words[value] ?? value })),
        ]}
      />
      <FileField
        name="picture"
        label={hasPicture ? t('Replace the picture') : t('Picture')}
        accept={PICTURES.join(',')}
        hint={t('JPEG or PNG, square, at least 640 pixels wide, at most 5 MB.')}
        optional
      />
      <Submit>{t('Save the profile')}</Submit>
    </Form>
  );
}

export async function saveProfile(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const picture = state.file('picture');
  if (picture && !PICTURES.includes(picture.type))
    state.addIssue('picture', t('Choose a JPEG or PNG picture.'));
  const { entries, failure } = await readProfile(context, line);
  if (failure !== null || !state.isValid) return showProfile(context, state);
  const changes = changesIn(state, fieldsOf(entries[0] ?? {}));
  if (!picture && !Object.keys(changes).length)
    return seeOther(numberAddress(line), t('Nothing was changed.'), 'idle');
  const isMade = await madeChange(context, line, state, async (usable) =>
    profileChange({
      ...changes,
      ...(picture && { profile_picture_handle: await uploadPicture(context, usable, picture) }),
    }),
  );
  return isMade ? seeOther(numberAddress(line), t('The profile is saved.')) : showProfile(context, state);
}

/** The fields that differ, in the platform's form. */
function changesIn(state: FormState, stored: Record<string, string>): Record<string, unknown> {
  const isChanged = (name: string) => state.text(name) !== stored[name];
  const texts = [...Object.keys(PROFILE_TEXTS), 'vertical'].filter(isChanged);
  return {
    ...Object.fromEntries(texts.map((name) => [name, state.text(name)])),
    ...(WEBSITES.some(isChanged) && { websites: WEBSITES.map((name) => state.text(name)).filter(Boolean) }),
  };
}

const uploadPicture = async ({ deps }: UserContext, line: Line, picture: File): Promise<string> =>
  uploadFile(deps.cloudApi, accessTokenOf(line), {
    ...{ name: picture.type === 'image/png' ? 'picture.png' : 'picture.jpg', type: picture.type },
    bytes: Buffer.from(await picture.arrayBuffer()),
  });
