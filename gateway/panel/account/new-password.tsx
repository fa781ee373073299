import { type VNode } from 'preact';
import { SHORTEST_PASSWORD } from '../../users/password';
import { userInput } from '../../users/user-input';
import { type FormState } from '../form-state';
import { t } from '../languages/t';
import { SecretField } from '../ui/form';

/**
 * Two fields for a new password.
 * @param labels of both fields
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
 * Reads the new password and adds issues to the state.
 * @param name of the user
 */
export async function readNewPassword(state: FormState, name: string): Promise<string> {
  const password = state.exact('password');
  await state.given(() => userInput({ name, password }));
  state.addIssue('again', password === state.exact('again') ? null : t("The passwords don't match."));
  return password;
}
