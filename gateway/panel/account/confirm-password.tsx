import { isoTime } from '../../time';
import { checkPassword } from '../../users/log-in';
import { FormState } from '../form-state';
import { Form, SecretField, SubmitOrCancel } from '../ui/form';
import { Card, PageHead } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';

/** Extra form field, removed before the form's handler runs. */
const PASSWORD = 'confirm_password';

/**
 * Asks for the password before a sensitive action, in case another person uses an unlocked screen. The
 * submitted form is kept, so that nothing must be typed twice.
 * @param purpose begins the sentence, such as "To add a user"
 * @returns the password page; null if the password was right
 * @throws Refusal after too many wrong passwords
 */
export async function confirmPassword(
  context: UserContext,
  purpose: NonNullable<PanelRoute['confirmed']>,
): Promise<PanelResponse | null> {
  const { deps, user, session, form } = context;
  const given = form.get(PASSWORD);
  form.delete(PASSWORD);
  const state = new FormState();
  if (typeof given === 'string') {
    const confirmed = await checkPassword(deps, user.name, given, context.from).catch((error: unknown) =>
      state.refuse(PASSWORD, error),
    );
    if (confirmed) {
      await deps.store.sessions.update(session.row.hash, { confirmed_at: isoTime(deps.clock()) });
      return null;
    }
    state.addIssue(PASSWORD, t('Wrong password.'));
  }
  const sentAlong = [...form].filter(([, value]) => typeof value === 'string') as [string, string][];
  return page(
    <PageHead title={t('Confirm your password')}>
      {t('{purpose}, confirm your password. You are asked again after 10 minutes.', {
        purpose: await purpose(context),
      })}
    </PageHead>,
    <Card>
      <Form action={context.address} state={state}>
        {sentAlong.map(([name, value], index) => (
          <input key={index} type="hidden" name={name} value={value} />
        ))}
        <SecretField name={PASSWORD} label={t('Password')} autocomplete="current-password" autofocus />
        <SubmitOrCancel submit={t('Continue')} back="/panel" />
      </Form>
    </Card>,
    state,
  );
}
