import { type VNode } from 'preact';
import { checkCode, checkPassword } from '../../users/log-in';
import { changePassword, renewRecoveryCodes, switchAppOff, switchAppOn } from '../../users/manage-users';
import { faultOfPassword, hashPassword, SHORTEST_PASSWORD } from '../../users/password';
import { createRecoveryCodes } from '../../users/recovery-codes';
import { endOf } from '../../users/sessions';
import { createTotpSecret, otpauthUrl, stepOfCode } from '../../users/totp';
import { type SessionRow } from '../../store/tables/sessions';
import { FormState } from '../form-state';
import { Form, SecretField, SelectField, Submit, TextField } from '../ui/form';
import { Badge, Card, Copy, Facts, PageHead, Table, Time } from '../ui/parts';
import { readLook, ZONES } from '../ui/frame/look';
import { QrCode } from '../ui/qr';
import {
  viewerAction,
  viewerPage,
  page,
  seeOther,
  seeOtherAs,
  type Outcome,
  type PanelRoute,
  type UserContext,
} from '../request-context';

/** What everybody may change of their own: password, authenticator app, sessions. */
export const profilePages: PanelRoute[] = [
  viewerPage('/profile', (context) => showProfile(context, new FormState())),
  viewerAction('/profile/password', takePassword),
  viewerAction('/profile/app', (context) => askApp(context, new FormState(), createTotpSecret()), {
    confirmed: true,
  }),
  viewerAction('/profile/app/on', appOn, { confirmed: true }),
  viewerPage('/profile/app/off', (context) => askCode(context, new FormState(), SWITCH_OFF)),
  viewerAction('/profile/app/off', appOff, { confirmed: true }),
  viewerPage('/profile/codes', (context) => askCode(context, new FormState(), RENEW_CODES)),
  viewerAction('/profile/codes', renewCodes, { confirmed: true }),
  viewerAction('/profile/log-out-everywhere', logOutEverywhere),
  viewerAction('/profile/look', changeLook),
];

async function showProfile(context: UserContext, state: FormState): Promise<Outcome> {
  const { deps, user } = context;
  const [sessions, codesLeft] = await Promise.all([
    deps.store.sessions.ofUser(user.id).then((all) => all.filter((row) => endOf(row, deps.clock()) === null)),
    deps.store.users.recoveryCodesLeft(user.id),
  ]);
  return page(
    'Your profile',
    <>
      <PageHead title="Your profile">
        You are <strong>{user.name}</strong>,{' '}
        {user.role === 'operator'
          ? 'an operator: you may change everything.'
          : 'a viewer: you look and change nothing.'}
      </PageHead>
      <Card title="How pages look">
        <LookForm context={context} />
      </Card>
      <Card title="Password">
        <p class="quiet">A new password ends all your other sessions.</p>
        <Form context={context} action="/panel/profile/password" state={state}>
          <input type="text" name="username" value={user.name} autocomplete="username" hidden />
          <SecretField state={state} name="current" label="Password now" autocomplete="current-password" />
          <SecretField
            state={state}
            name="password"
            label="New password"
            hint={`At least ${SHORTEST_PASSWORD} characters. Four words in a row make a good password.`}
            autocomplete="new-password"
          />
          <SecretField state={state} name="again" label="New password again" autocomplete="new-password" />
          <div>
            <Submit>Change password</Submit>
          </div>
        </Form>
      </Card>
      <App context={context} codesLeft={codesLeft} />
      <Card
        title="Where you are logged in"
        flush
        actions={
          <Form context={context} action="/panel/profile/log-out-everywhere" class="inline">
            <Submit tone="plain">Log out everywhere</Submit>
          </Form>
        }
      >
        <Sessions sessions={sessions} own={context.session.row.hash} />
      </Card>
    </>,
    state.status,
    state.retryAfter,
  );
}

function LookForm({ context }: { context: UserContext }): VNode {
  const { theme = '', zone = '' } = context.look;
  const state = new FormState({ theme, zone });
  return (
    <Form context={context} action="/panel/profile/look">
      <p class="quiet">In this browser.</p>
      <SelectField
        state={state}
        name="theme"
        label="Colours"
        choices={[
          { value: '', label: 'As the system has it' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
      />
      <SelectField
        state={state}
        name="zone"
        label="Time zone"
        choices={[
          { value: '', label: 'As the browser has it' },
          ...ZONES.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
        ]}
      />
      <div>
        <Submit tone="plain">Save</Submit>
      </div>
    </Form>
  );
}

function changeLook({ form }: UserContext): Outcome {
  const look = readLook(`${form.get('theme')}.${form.get('zone')}`);
  return { ...seeOther('/panel/profile', 'Pages look as you chose, in this browser.'), look };
}

function Sessions({ sessions, own }: { sessions: SessionRow[]; own: string }): VNode {
  return (
    <Table
      caption="Sessions"
      rows={sessions}
      rowKey={({ hash }) => hash}
      columns={[
        {
          label: 'Browser',
          heading: true,
          cell: ({ browser, hash }) => (
            <span class="cluster">
              {inShort(browser)} {hash === own && <Badge tone="info">this one</Badge>}
            </span>
          ),
        },
        { label: 'Address', cell: ({ address }) => address },
        { label: 'Logged in', cell: ({ created_at: at }) => <Time at={at} /> },
        { label: 'Last seen', cell: ({ seen_at: at }) => <Time at={at} /> },
      ]}
    />
  );
}

/** Browsers call themselves many things; these words tell most of them apart. */
function inShort(browser: string): string {
  const name = [/Edg/, /OPR/, /Firefox/, /Chrom/, /Safari/].find((one) => one.test(browser));
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(browser)?.[0];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Chrom: 'Chrome' };
  const called = name ? (names[name.source] ?? name.source) : 'Another browser';
  return system ? `${called} on ${system}` : called;
}

function App({ context, codesLeft }: { context: UserContext; codesLeft: number }): VNode {
  if (context.user.totp_sealed === null)
    return (
      <Card title="Authenticator app" actions={<Badge tone="idle">off</Badge>}>
        <p class="quiet">
          With an app such as Aegis, 1Password or Google Authenticator, your password alone opens nothing: at
          log-in you also type the code that your phone shows.
        </p>
        <Form context={context} action="/panel/profile/app">
          <div>
            <Submit>Set it up</Submit>
          </div>
        </Form>
      </Card>
    );
  return (
    <Card title="Authenticator app" actions={<Badge tone="good">on</Badge>}>
      <Facts facts={[['Recovery codes left', <span class="number">{codesLeft}</span>]]} />
      {codesLeft < 3 && <p class="fault">Make new recovery codes before the last one is used.</p>}
      <div class="actions">
        <a class="button plain" href="/panel/profile/codes">
          New recovery codes
        </a>
        <a class="button danger" href="/panel/profile/app/off">
          Switch off
        </a>
      </div>
    </Card>
  );
}

async function takePassword(context: UserContext): Promise<Outcome> {
  const { deps, user, session, form, from } = context;
  const state = new FormState(form);
  const password = state.exact('password');
  state.addIssue('password', faultOfPassword(password, user.name));
  state.addIssue(
    'again',
    password === state.exact('again') ? null : 'The two new passwords are not the same.',
  );
  state.addIssue('current', state.exact('current') ? null : 'Type the password that you have now.');
  if (state.isValid) {
    const isRight = await checkPassword(deps, user.name, state.exact('current'), from).catch(
      (error: unknown) => state.refuse('current', error),
    );
    state.addIssue('current', isRight ? null : 'That is not your password.');
  }
  if (!state.isValid) return showProfile(context, state);
  const hash = await hashPassword(password);
  await changePassword(deps, context.actor, user, hash, session.row.hash);
  return seeOther('/panel/profile', 'Your password is changed. Your other sessions have ended.');
}

/** The secret travels in the form until a code has shown that the app has it: until then nothing is stored. */
function askApp(context: UserContext, state: FormState, secret: string): Outcome {
  return page(
    'Set up an authenticator app',
    <>
      <PageHead title="Set up an authenticator app" back={{ href: '/panel/profile', label: 'Your profile' }}>
        Scan this picture with the app, then type the code that it shows.
      </PageHead>
      <Card>
        <QrCode text={otpauthUrl(secret, context.user.name)} label="QR code for the authenticator app" />
        <div class="stack close">
          <p class="quiet">Or type this key into the app:</p>
          <Copy id="key" text={secret.replace(/.{4}(?=.)/g, '$& ')} label="Key for the app" />
        </div>
        <Form context={context} action="/panel/profile/app/on" state={state}>
          <input type="hidden" name="secret" value={secret} />
          <TextField
            state={state}
            name="code"
            label="Code"
            hint="The six digits that the app shows now."
            inputmode="numeric"
            autocomplete="one-time-code"
            maxLength={10}
          />
          <div>
            <Submit>Switch it on</Submit>
          </div>
        </Form>
      </Card>
    </>,
    state.isValid ? 200 : 422,
  );
}

async function appOn(context: UserContext): Promise<Outcome> {
  const { deps, user, form } = context;
  const state = new FormState(form);
  const secret = state.text('secret');
  if (user.totp_sealed !== null || !/^[A-Z2-7]{32}$/.test(secret)) return seeOther('/panel/profile');
  const step = stepOfCode(secret, state.text('code').replace(/\s/g, ''), deps.clock());
  if (step === null) {
    state.addIssue(
      'code',
      'That code is not right. Type the one that the app shows now; the clock of the phone has to be right.',
    );
    return askApp(context, state, secret);
  }
  const { codes, hashes } = createRecoveryCodes();
  const app = { sealed: deps.vault.seal('users.totp', secret), step, recoveryHashes: hashes };
  await switchAppOn(deps, context.actor, user, app, context.session.row.hash);
  return showCodes(codes, 'The authenticator app is on');
}

async function renewCodes(context: UserContext): Promise<Outcome> {
  const { user } = context;
  const asked = await withoutCode(context, RENEW_CODES);
  if (asked) return asked;
  const { codes, hashes } = createRecoveryCodes();
  await renewRecoveryCodes(context.deps, context.actor, user, hashes);
  return showCodes(codes, 'New recovery codes');
}

const showCodes = (codes: string[], title: string): Outcome =>
  page(
    title,
    <>
      <PageHead title={title} back={{ href: '/panel/profile', label: 'Your profile' }}>
        Each of these codes stands in for the app once, should your phone be lost. Older ones are void.
      </PageHead>
      <Card>
        <p>
          <strong>They are shown only now.</strong> Print them, or keep them where your passwords are.
        </p>
        <Copy id="codes" text={codes.join('\n')} label="Recovery codes" />
        <div>
          <a class="button primary" href="/panel/profile">
            I have kept them
          </a>
        </div>
      </Card>
    </>,
  );

/** What needs a code of the app, or a recovery code. */
interface CodeQuestion {
  title: string;
  follows: string;
  action: string;
  submit: string;
  tone: 'danger' | 'primary';
}

const SWITCH_OFF: CodeQuestion = {
  title: 'Switch the authenticator app off?',
  follows: 'Then your password alone opens the panel again, and your recovery codes are void.',
  action: '/panel/profile/app/off',
  submit: 'Switch it off',
  tone: 'danger',
};

const RENEW_CODES: CodeQuestion = {
  title: 'Make new recovery codes?',
  follows: 'Each of them stands in for the app once. The ones that you have now are void then.',
  action: '/panel/profile/codes',
  submit: 'Make new codes',
  tone: 'primary',
};

/** Whoever sits at a screen that was left has the password for ten minutes, but not the phone. */
function askCode(
  context: UserContext,
  state: FormState,
  { title, follows, action, submit, tone }: CodeQuestion,
): Outcome {
  if (context.user.totp_sealed === null) return seeOther('/panel/profile');
  return page(
    title,
    <>
      <PageHead title={title} back={{ href: '/panel/profile', label: 'Your profile' }}>
        {follows}
      </PageHead>
      <Card>
        <Form context={context} action={action} state={state}>
          <TextField
            state={state}
            name="code"
            label="Code"
            hint="The six digits that the app shows now, or one of your recovery codes."
            autocomplete="one-time-code"
            maxLength={30}
          />
          <div class="actions">
            <Submit tone={tone}>{submit}</Submit>
            <a class="button plain" href="/panel/profile">
              Cancel
            </a>
          </div>
        </Form>
      </Card>
    </>,
    state.status,
    state.retryAfter,
  );
}

/** @returns what is answered where the code is not right; null where it is */
async function withoutCode(context: UserContext, question: CodeQuestion): Promise<Outcome | null> {
  const { deps, user, form, from } = context;
  const state = new FormState(form);
  const code = state.required('code', 'Type the code.');
  if (state.isValid && user.totp_sealed !== null) {
    const kind = await checkCode(deps, user, code, from).catch((error: unknown) =>
      state.refuse('code', error),
    );
    state.addIssue(
      'code',
      kind ? null : 'That code is not right, or was used before. Type the one that the app shows now.',
    );
  }
  return state.isValid && user.totp_sealed !== null ? null : askCode(context, state, question);
}

async function appOff(context: UserContext): Promise<Outcome> {
  const { user } = context;
  const asked = await withoutCode(context, SWITCH_OFF);
  if (asked) return asked;
  await switchAppOff(context.deps, context.actor, user);
  return seeOther('/panel/profile', 'The authenticator app is off.');
}

async function logOutEverywhere(context: UserContext): Promise<Outcome> {
  await context.deps.store.sessions.removeOfUser(context.user.id, null);
  return seeOtherAs(null, '/panel/log-in');
}
