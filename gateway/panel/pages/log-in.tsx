import { audited } from '../../store/audited';
import { checkCode, checkPassword } from '../../users/log-in';
import { beginSession, type Session } from '../../users/sessions';
import { FormState } from '../form-state';
import { Form, SecretField, Submit, TextField } from '../look/form';
import { Narrow } from '../look/layout';
import {
  changeOwn,
  open,
  page,
  seeOther,
  seeOtherAs,
  type OpenVisit,
  type Outcome,
  type PanelRoute,
} from '../visit';

/** Logging in, with the code of an authenticator app where one is used, and logging out. */
export const logInPages: PanelRoute[] = [
  open('GET', '/log-in', (visit) =>
    visit.user ? seeOther(nextOf(visit)) : askPassword(visit, new FormState()),
  ),
  open('POST', '/log-in', logIn),
  open('GET', '/log-in/code', (visit) => askCode(visit, new FormState())),
  open('POST', '/log-in/code', takeCode),
  changeOwn('/log-out', async ({ world, session }) => {
    await world.store.sessions.remove(session.row.hash);
    return seeOtherAs(null, '/panel/log-in');
  }),
];

/** Only a page of the panel: a link to the log-in must not lead elsewhere after it. */
function nextOf({ query }: OpenVisit): string {
  const next = query.get('next') ?? '';
  return /^\/panel(?:[/?][\w\-./~%?&=+:@,]*)?$/.test(next) && !next.startsWith('/panel/log-in')
    ? next
    : '/panel';
}

async function askPassword(visit: OpenVisit, state: FormState): Promise<Outcome> {
  if (!(await visit.world.store.users.any())) return nobodyYet();
  const next = visit.query.get('next');
  return page(
    'Log in',
    <Narrow title="Log in">
      <div class="stack">
        <h1>Log in</h1>
        {next && state.isGood && <p class="quiet">Log in to go on to the page that you asked for.</p>}
        <Form
          visit={visit}
          action={next ? `/panel/log-in?next=${encodeURIComponent(next)}` : '/panel/log-in'}
          state={state}
        >
          <TextField state={state} name="name" label="Name" autocomplete="username" autofocus />
          <SecretField state={state} name="password" label="Password" autocomplete="current-password" />
          <Submit>Log in</Submit>
        </Form>
      </div>
    </Narrow>,
    state.status,
    state.retryAfter,
  );
}

const nobodyYet = (): Outcome =>
  page(
    'Set up the control panel',
    <Narrow title="Set up the control panel">
      <div class="stack">
        <h1>Set up the control panel</h1>
        <p>
          There is no user yet. The gateway printed a link for the first one when it started: open that link.
        </p>
        <p class="quiet">
          It is good once, for a day. For another one, start the gateway again, or add a user on the machine
          itself:
        </p>
        <pre class="code" tabIndex={0} role="region" aria-label="Command that adds a user">
          messaging-gateway user add NAME
        </pre>
      </div>
    </Narrow>,
  );

async function logIn(visit: OpenVisit): Promise<Outcome> {
  const { world, form, from } = visit;
  const state = new FormState(form);
  const name = state.required('name', 'Type your name.');
  const password = state.exact('password');
  state.fault('password', password ? null : 'Type your password.');
  if (!state.isGood) return askPassword(visit, state);
  const user = await checkPassword(
    { ...world, limits: world.logInLimits },
    name,
    password,
    from.address,
  ).catch((error: unknown) => state.refuse('password', error));
  if (!user) {
    state.fault(
      'password',
      'Name or password is wrong. Try again, or ask an operator to reset your password.',
    );
    return askPassword(visit, state);
  }
  const key = await beginSession(world, user, from, user.totp_sealed !== null);
  if (user.totp_sealed === null) return enter(visit, user.name, key, 'session.begun', {});
  const next = nextOf(visit);
  return seeOtherAs(
    key,
    next === '/panel' ? '/panel/log-in/code' : `/panel/log-in/code?next=${encodeURIComponent(next)}`,
  );
}

function askCode(visit: OpenVisit, state: FormState): Outcome {
  if (!visit.session || visit.user) return seeOther('/panel/log-in');
  const next = visit.query.get('next');
  return page(
    'Code',
    <Narrow title="Code">
      <div class="stack">
        <h1>One more step</h1>
        <p class="quiet">
          Open your authenticator app and type the code that it shows for Messaging Gateway.
        </p>
        <Form
          visit={visit}
          action={next ? `/panel/log-in/code?next=${encodeURIComponent(next)}` : '/panel/log-in/code'}
          state={state}
        >
          <TextField
            state={state}
            name="code"
            label="Code"
            hint="Six digits. Without your phone, type one of your recovery codes."
            autocomplete="one-time-code"
            maxLength={30}
            autofocus
          />
          <Submit>Log in</Submit>
        </Form>
        <p>
          <a href="/panel/log-in">Log in as somebody else</a>
        </p>
      </div>
    </Narrow>,
    state.status,
    state.retryAfter,
  );
}

async function takeCode(visit: OpenVisit): Promise<Outcome> {
  const { world, session, form, from } = visit;
  if (!session || visit.user) return seeOther('/panel/log-in');
  const state = new FormState(form);
  const code = state.required('code', 'Type the code.');
  if (!state.isGood) return askCode(visit, state);
  const kind = await checkCode(
    { ...world, limits: world.logInLimits },
    session.user,
    code,
    from.address,
  ).catch((error: unknown) => state.refuse('code', error));
  if (!kind) {
    state.fault('code', 'That code is not right, or was used before. Type the one that the app shows now.');
    return askCode(visit, state);
  }
  await world.store.sessions.remove(session.row.hash);
  const key = await beginSession(world, session.user, from, false);
  return enter(visit, session.user.name, key, 'session.begun', { with: kind });
}

/** Who came in is told in the audit too. */
async function enter(
  visit: OpenVisit,
  who: string,
  key: string,
  action: string,
  details: Record<string, string>,
): Promise<Outcome> {
  const actor = { who, through: 'panel', address: visit.from.address } as const;
  await audited(visit.world, actor, { action, details }, async () => {});
  if (visit.session) await endOther(visit, visit.session);
  return seeOtherAs(key, nextOf(visit));
}

/** The session that the browser brought along ends where another begins. */
const endOther = ({ world }: OpenVisit, { row }: Session): Promise<void> =>
  world.store.sessions.remove(row.hash);
