import { type VNode } from 'preact';
import { CheckField, SecretField, SelectField, TextField, useFormState } from '../ui/form';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';

/** Form fields of a line that come from the platform, for adding and editing a line. */

interface CredentialFieldsProps {
  /** Whether credentials are stored. If so, an empty field keeps them. */
  stored: { accessToken: boolean; appSecret: boolean };
}

export function CredentialFields({ stored }: CredentialFieldsProps): VNode {
  const state = useFormState();
  const keeps = t('Stored and never shown. Leave it empty to keep it.');
  return (
    <>
      <TextField
        name="phone_number_id"
        label={t('Phone number ID')}
        inputmode="numeric"
        hint={t(
          'developers.facebook.com → your app → WhatsApp → API Setup, below the number. About 15 digits; not the number itself.',
        )}
      />
      <TextField
        name="waba_id"
        label={t('WhatsApp Business Account ID')}
        inputmode="numeric"
        hint={t('On the same page, beside the phone number ID.')}
      />
      <TextField
        name="phone_number"
        label={t('Phone number')}
        type="tel"
        optional={!stored.accessToken}
        hint={
          stored.accessToken
            ? t('With its country code.')
            : t('With its country code. Leave it empty to read it from the platform.')
        }
      />
      <SecretField
        name="access_token"
        label={t('Access token')}
        optional={stored.accessToken}
        hint={
          stored.accessToken
            ? keeps
            : t(
                'Use the token of a system user, which does not expire: Business settings → Users → System users → Generate token, with whatsapp_business_messaging and whatsapp_business_management.',
              )
        }
      />
      <SecretField
        name="app_secret"
        label={t('App secret')}
        optional={stored.appSecret}
        hint={
          stored.appSecret
            ? keeps
            : t('Your app → App settings → Basic. The platform signs its events with it.')
        }
      />
      {!state.isValid && (
        <p class="hint">
          {t('Please paste the access token and app secret again. Secrets are never shown again.')}
        </p>
      )}
      {state.issueOf('save_anyway') !== null && (
        <CheckField
          name="save_anyway"
          label={t('Save it although this could not be checked')}
          hint={state.issueOf('save_anyway')}
        />
      )}
    </>
  );
}

/** The choices of a line's customer; empty if there are no customers. */
export async function customerChoices({
  deps,
  may,
}: UserContext): Promise<{ value: string; label: string }[]> {
  const customers = await deps.store.customers.all();
  if (!customers.length) return [];
  return [
    ...(may('lines.manage', null) ? [{ value: '', label: t('None: your own line') }] : []),
    ...customers.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
}

/** Chooses the customer of a line. Omitted if there is no choice. */
export const LineCustomerField = ({
  choices,
}: {
  choices: { value: string; label: string }[];
}): VNode | null =>
  choices.length > 1 ? (
    <SelectField
      name="customer"
      label={t('Customer')}
      hint={t('People with a role in the customer see and use the line.')}
      choices={choices}
    />
  ) : null;
