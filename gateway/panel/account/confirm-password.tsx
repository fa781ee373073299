import { isoTime } from '../../time';
import { checkPassword } from '../../users/log-in';
import { FormState } from '../form-state';
import { Form, SecretField, SubmitOrCancel } from '../ui/form';
import { PageHead } from '../ui/parts';
import { page, type Outcome, type Visit } from '../request-context';

/** The field that a form does not know of: it is taken away before the form's own handler sees it. */
const PASSWORD = 'confirm_password';

/**
 * Asks for the password again before something that a borrowed screen must not do. What was sent in the form is sent
 * along once more, so that nothing has to be typed twice.
 * @returns the page that asks; null once the password was right
 * @throws Refusal where too many were wrong
 */
export async function confirmPassword(visit: Visit): Promise<Outcome | null> {
  const { world, user, session, form } = visit;
  const given = form.get(PASSWORD);
  form.delete(PASSWORD);
  const state = new FormState();
  if (typeof given === 'string') {
    const confirmed = await checkPassword(world, user.name, given, visit.from).catch((error: unknown) =>
      state.refuse(PASSWORD, error),
    );
    if (confirmed) {
      await world.store.sessions.update(session.row.hash, { confirmed_at: isoTime(world.clock()) });
      return null;
    }
    state.fault(PASSWORD, 'That is not your password.');
  }
  const sentAlong = [...form].filter(([, value]) => typeof value === 'string') as [string, string][];
  return page(
    'Your password, please',
    <>
      <PageHead title="Your password, please">
        This asks for your password again, unless you gave it in the last ten minutes.
      </PageHead>
      <Form visit={visit} action={visit.address} state={state}>
        {sentAlong.map(([name, value], index) => (
          <input key={index} type="hidden" name={name} value={value} />
        ))}
        <SecretField
          state={state}
          name={PASSWORD}
          label="Password"
          autocomplete="current-password"
          autofocus
        />
        <SubmitOrCancel submit="Go on" back="/panel" />
      </Form>
    </>,
    state.status,
    state.retryAfter,
  );
}
