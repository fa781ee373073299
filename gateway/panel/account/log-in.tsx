import { type VNode } from 'preact';
import { audited } from '../../store/audited';
import { openKnownBrowser, sealKnownBrowser } from '../../users/known-browser';
import { checkCode, checkPassword } from '../../users/log-in';
import { type UserRow } from '../../store/users';
import { beginSession, type EndedSession, type Session } from '../../users/sessions';
import { FormState } from '../form-state';
import { formTokenOf } from '../guard';
import { Form, SecretField, Submit, SubmitOrCancel, TextField } from '../ui/form';
import { Narrow } from '../ui/layout';
import {
  changeOwn,
  open,
  page,
  seeOther,
  seeOtherAs,
  type OpenVisit,
  type Outcome,
  type Page,
  type PanelRoute,
} from '../request-context';

/** Logging in, with the code of an authenticator app where one is used, and logging out. */
export const logInPages: PanelRoute[] = [
  open('GET', '/log-in', (visit) =>
    visit.user ? seeOther(nextOf(visit)) : (knowBrowser(visit) ?? askPassword(visit, new FormState())),
  ),
  open('POST', '/log-in', logIn),
  open('GET', '/log-in/code', (visit) => askCode(visit, new FormState())),
  open('POST', '/log-in/code', takeCode),
  changeOwn('/log-out', async ({ world, session }) => {
    await world.store.sessions.remove(session.row.hash);
    return seeOtherAs(null, '/panel/log-in');
  }),
];

/** Most bytes of a form that is kept while somebody logs in: sealed, it goes through the log-in's own small form. */
export const MOST_KEPT = 8 * 1024;

/** What somebody sent whose session had ended. */
interface KeptForm {
  userId: number;
  address: string;
  fields: [string, string][];
}

/** In the forms of the log-in: sealed, since whoever sits at the screen by now may be somebody else. */
const KEPT = 'kept';

/**
 * Asks for the log-in instead of doing what was sent in a session that has ended by itself. What was typed is kept.
 * @param from the page of the form
 */
export function logInAgain(visit: OpenVisit, from: string): Promise<Outcome> {
  const { world, form, ended, address, query } = visit;
  const fields = [...form].filter((field): field is [string, string] => typeof field[1] === 'string');
  const isWhole = fields.length === [...form].length;
  const kept: KeptForm | null =
    ended && isWhole && fields.length ? { userId: ended.userId, address, fields } : null;
  const own = new FormData();
  if (kept) own.set(KEPT, world.vault.seal('panel.kept_form', JSON.stringify(kept)));
  query.set('next', from);
  return askPassword({ ...visit, form: own }, new FormState());
}

const Kept = ({ form }: OpenVisit): VNode | null => {
  const kept = form.get(KEPT);
  return typeof kept === 'string' ? <input type="hidden" name={KEPT} value={kept} /> : null;
};

/** What was kept for this very user; null where there is nothing, or it is another's. */
function keptFor({ world, form }: OpenVisit, userId: number): KeptForm | null {
  const sealed = form.get(KEPT);
  if (typeof sealed !== 'string') return null;
  try {
    const kept = JSON.parse(world.vault.open('panel.kept_form', sealed)) as KeptForm;
    return kept.userId === userId ? kept : null;
  } catch {
    // Not of this gateway's making: as if there were none.
    return null;
  }
}

/** After the log-in: what was sent before is sent now, where its sender still wants that. */
const offerKept = (visit: OpenVisit, key: string, { address, fields }: KeptForm): Outcome => ({
  kind: 'page',
  title: 'Send it now?',
  status: 200,
  cookie: key,
  body: (
    <Narrow title="Send it now?">
      <div class="stack">
        <h1>Send it now?</h1>
        <p>You are logged in again. What you sent before was kept, and nothing was done with it yet.</p>
        <Form visit={{ formToken: formTokenOf(key) }} action={address}>
          {fields.map(([name, value], index) => (
            <input key={index} type="hidden" name={name} value={value} />
          ))}
          <SubmitOrCancel submit="Send it" back={nextOf(visit)} />
        </Form>
      </div>
    </Narrow>
  ),
});

/** Why somebody who was in has to log in again. */
const END_WORDS: Record<EndedSession['end'], string> = {
  idle: 'You were logged out after 30 minutes without activity.',
  age: 'You were logged out after 12 hours, as everybody is.',
};

/** Only a page of the panel: a link to the log-in must not lead elsewhere after it. */
function nextOf({ query }: OpenVisit): string {
  const next = query.get('next') ?? '';
  return /^\/panel(?:[/?][\w\-./~%?&=+:@,]*)?$/.test(next) && !next.startsWith('/panel/log-in')
    ? next
    : '/panel';
}

/**
 * The link of `user unlock`: whoever opens it has guesses of his own, however many others guess. A browser that is known
 * to that account already stays as it is.
 */
function knowBrowser({ world, query, from }: OpenVisit): Outcome | null {
  const sealed = query.get('known') ?? undefined;
  const known = openKnownBrowser(world.vault, sealed);
  if (!known) return null;
  const isKnown = known.accounts.every((account) => from.known?.accounts.includes(account));
  return { ...seeOther('/panel/log-in'), ...(!isKnown && { known: sealed }) };
}

async function askPassword(visit: OpenVisit, state: FormState): Promise<Outcome> {
  if (!(await visit.world.store.users.any())) return nobodyYet();
  const next = visit.query.get('next');
  return page(
    'Log in',
    <Narrow title="Log in">
      <div class="stack">
        <h1>Log in</h1>
        {state.isGood && (next || visit.ended) && (
          <p class="quiet">
            {visit.ended && END_WORDS[visit.ended.end]}{' '}
            {visit.form.has(KEPT)
              ? 'Log in to go on: what you sent is kept.'
              : next && 'Log in to go on to the page that you asked for.'}
          </p>
        )}
        <Form
          visit={visit}
          action={next ? `/panel/log-in?next=${encodeURIComponent(next)}` : '/panel/log-in'}
          state={state}
        >
          <Kept {...visit} />
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
  const user = await checkPassword(world, name, password, from).catch((error: unknown) =>
    state.refuse('password', error),
  );
  if (!user) {
    state.fault(
      'password',
      'Name or password is wrong. Try again, or ask an operator to reset your password.',
    );
    return askPassword(visit, state);
  }
  const key = await beginSession(world, user, from, user.totp_sealed !== null);
  if (user.totp_sealed === null) return enter(visit, user, key, 'session.begun', {});
  if (keptFor(visit, user.id)) return { ...showCode(visit, new FormState(), formTokenOf(key)), cookie: key };
  const next = nextOf(visit);
  return seeOtherAs(
    key,
    next === '/panel' ? '/panel/log-in/code' : `/panel/log-in/code?next=${encodeURIComponent(next)}`,
  );
}

function askCode(visit: OpenVisit, state: FormState): Outcome {
  if (!visit.session || visit.user) return seeOther('/panel/log-in');
  return showCode(visit, state, visit.formToken);
}

function showCode(visit: OpenVisit, state: FormState, formToken: string): Page {
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
          visit={{ formToken }}
          action={next ? `/panel/log-in/code?next=${encodeURIComponent(next)}` : '/panel/log-in/code'}
          state={state}
        >
          <Kept {...visit} />
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
  const kind = await checkCode(world, session.user, code, from).catch((error: unknown) =>
    state.refuse('code', error),
  );
  if (!kind) {
    state.fault('code', 'That code is not right, or was used before. Type the one that the app shows now.');
    return askCode(visit, state);
  }
  await world.store.sessions.remove(session.row.hash);
  const key = await beginSession(world, session.user, from, false);
  return enter(visit, session.user, key, 'session.begun', { with: kind });
}

/** Who came in is told in the audit too. */
async function enter(
  visit: OpenVisit,
  user: UserRow,
  key: string,
  action: string,
  details: Record<string, string>,
): Promise<Outcome> {
  const actor = { who: user.name, through: 'panel', address: visit.from.address } as const;
  await audited(visit.world, actor, { action, details }, async () => {});
  visit.world.logInWatch.entered();
  if (visit.session) await endOther(visit, visit.session);
  const kept = keptFor(visit, user.id);
  const known = sealKnownBrowser(visit.world.vault, visit.from.known, user.name);
  return { ...(kept ? offerKept(visit, key, kept) : seeOtherAs(key, nextOf(visit))), known };
}

/** The session that the browser brought along ends where another begins. */
const endOther = ({ world }: OpenVisit, { row }: Session): Promise<void> =>
  world.store.sessions.remove(row.hash);
