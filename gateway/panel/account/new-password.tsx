import { type VNode } from 'preact';
import { faultOfPassword, SHORTEST_PASSWORD } from '../../users/password';
import { type FormState } from '../form-state';
import { t } from '../languages/t';
import { SecretField } from '../ui/form';

/** A password that somebody chooses, twice. @param labels what the two are called */
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

/** The one that was chosen; what is wrong with it lies in the state then. @param name of the user */
export function readNewPassword(state: FormState, name: string): string {
  const password = state.exact('password');
  state.addIssue('password', t.known(faultOfPassword(password, name)));
  state.addIssue(
    'again',
    password === state.exact('again') ? null : t('The two passwords are not the same.'),
  );
  return password;
}
