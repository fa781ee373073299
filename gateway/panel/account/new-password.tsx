import { type VNode } from 'preact';
import { faultOfPassword, SHORTEST_PASSWORD } from '../../users/password';
import { type FormState } from '../form-state';
import { t } from '../languages/t';
import { SecretField } from '../ui/form';

/**
 * A new password, twice.
 * @param labels of the two fields
 */
export const NewPasswordField = ({ labels: [label, again] }: { labels: [string, string] }): VNode => (
  <>
    <SecretField
      name="password"
      label={label}
      hint={t('At least {count} characters. Four words in a row make a good password.', {
        count: SHORTEST_PASSWORD,
      })}
      autocomplete="new-password"
    />
    <SecretField name="again" label={again} autocomplete="new-password" />
  </>
);

/**
 * The new password; issues are in the state.
 * @param name of the user
 */
export function readNewPassword(state: FormState, name: string): string {
  const password = state.exact('password');
  state.addIssue('password', t.known(faultOfPassword(password, name)));
  state.addIssue('again', password === state.exact('again') ? null : t("The passwords don't match."));
  return password;
}
