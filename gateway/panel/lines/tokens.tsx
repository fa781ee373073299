import { type VNode } from 'preact';
import { createToken, LONGEST_NAME, revokeToken, rotateToken, stateOfToken } from '../../lines/tokens';
import { type LineRow } from '../../store/lines';
import { SCOPES, type Scope } from '../../store/schema';
import { scopesOf, type TokenRow } from '../../store/tokens';
import { HOUR, isoTime } from '../../time';
import { FormState } from '../form-state';
import { ChoiceField, Confirm, Form, SelectField, Submit, SubmitOrCancel, TextField } from '../ui/form';
import { Live } from '../ui/live';
import { Badge, Card, Copy, Empty, Facts, PageHead, ShownOnce, Table, Time } from '../ui/parts';
import { pageNotFound } from '../ui/error-page';
import {
  change,
  look,
  page,
  prepare,
  seeOther,
  type Outcome,
  type PanelRoute,
  type Visit,
} from '../request-context';
import { sendSnippet } from '../ui/send-snippet';

/** API: the tokens with which customers use the lines. */
export const tokenPages: PanelRoute[] = [
  look('/tokens', (visit) => showTokens(visit, emptyForm(visit.query.get('line') ?? '')), {
    live: true,
  }),
  look('/lines/:id/tokens', ({ params }) => seeOther(`/panel/tokens?line=${Number(params.id) || ''}`)),
  change('/tokens', generate, { confirmed: true }),
  prepare('/tokens/:id/rotate', askRotation),
  change('/tokens/:id/rotate', rotate, { confirmed: true }),
  change('/tokens/:id/revoke', revoke, { confirmed: true }),
];

/** With every scope. */
function emptyForm(line: string): FormState {
  const values = new FormData();
  values.set('line', line);
  SCOPES.forEach((scope) => values.append('scope', scope));
  return new FormState(values);
}

const SCOPE_WORDS: Record<Scope, { label: string; word: string; hint: string }> = {
  send: { label: 'Send', word: 'send', hint: 'Messages, and the files in them.' },
  read: {
    label: 'Read',
    word: 'read',
    hint: "Templates, the line's status, what became of messages, files that came in.",
  },
  destinations: {
    label: 'Manage destinations',
    word: 'destinations',
    hint: 'Have events of the line sent to addresses of its own, as the n8n trigger does.',
  },
};

async function showTokens(visit: Visit, state: FormState): Promise<Outcome> {
  const { store } = visit.world;
  const [lines, tokens] = await Promise.all([store.lines.all(), store.tokens.all()]);
  const only = lines.find(({ id }) => String(id) === visit.query.get('line'));
  const body = (
    <>
      <PageHead
        title="API"
        actions={
          <a class="button plain" href="/docs">
            API reference
          </a>
        }
      >
        A token opens one line to one program: n8n, your CRM, your own code. Generate one for each, so that
        you can revoke one without the others.
      </PageHead>
      {visit.mayChange && lines.length > 0 && (
        <Card title="Generate a token">
          <Form visit={visit} action="/panel/tokens" state={state}>
            <SelectField
              state={state}
              name="line"
              label="Line"
              choices={[
                ...(lines.length > 1 ? [{ value: '', label: 'Choose a line' }] : []),
                ...lines.map(({ id, name, phone_number: number }) => ({
                  value: String(id),
                  label: `${name} · ${number}`,
                })),
              ]}
            />
            <TextField
              state={state}
              name="name"
              label="Name"
              hint="What uses it, to tell it from others. As: n8n production"
              maxLength={LONGEST_NAME}
            />
            <ChoiceField
              state={state}
              name="scope"
              label="It may"
              hint="n8n needs all three."
              many
              choices={SCOPES.map((value) => ({ value, ...SCOPE_WORDS[value] }))}
            />
            <SelectField
              state={state}
              name="expires"
              label="Works"
              choices={EXPIRIES.map(({ value, label }) => ({ value, label }))}
            />
            <div class="actions">
              <Submit>Generate token</Submit>
            </div>
          </Form>
        </Card>
      )}
      <Card flush title={only ? `Tokens of ${only.name}` : 'Tokens'}>
        {/* The page after a fault is no live one. */}
        {visit.method === 'GET' ? (
          <Live id="tokens">
            <Tokens visit={visit} lines={lines} tokens={tokens} only={only} />
          </Live>
        ) : (
          <Tokens visit={visit} lines={lines} tokens={tokens} only={only} />
        )}
      </Card>
    </>
  );
  return page('API', body, state.isGood ? 200 : 422);
}

interface TokensProps {
  visit: Visit;
  lines: LineRow[];
  tokens: TokenRow[];
  only: LineRow | undefined;
}

function Tokens({ visit, lines, tokens, only }: TokensProps): VNode {
  const now = isoTime(visit.world.clock());
  const shown = tokens.filter(({ line_id: id }) => !only || id === only.id);
  const nameOf = (id: number) => lines.find((line) => line.id === id)?.name ?? String(id);
  if (!lines.length)
    return (
      <Empty title="There is no line yet">
        <p>A token belongs to a line: add the line first.</p>
        {visit.mayChange && (
          <a class="button primary" href="/panel/lines/new">
            Add a line
          </a>
        )}
      </Empty>
    );
  if (!shown.length)
    return (
      <Empty title="There is no token yet">
        <p>Generate one above; it is shown once, with a request to try it.</p>
      </Empty>
    );
  return (
    <Table
      caption="Tokens"
      rows={shown}
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Token',
          heading: true,
          cell: ({ id, name, last_four: last }) => (
            <span class="stack close">
              {name !== null && <span class="long">{name}</span>}
              <span>
                <code>gwl_…{last}</code> <span class="quiet small">({id})</span>
              </span>
            </span>
          ),
        },
        { label: 'Line', cell: ({ line_id: id }) => <a href={`/panel/lines/${id}`}>{nameOf(id)}</a> },
        { label: 'May', cell: (token) => <Scopes token={token} /> },
        { label: 'State', cell: (token) => <State token={token} now={now} /> },
        { label: 'Created', cell: ({ created_at: at }) => <Time at={at} to="minute" /> },
        { label: 'Last used', cell: (token) => <LastUse token={token} /> },
        {
          label: 'Actions',
          actions: true,
          cell: (token) =>
            visit.mayChange &&
            stateOfToken(token, now) === 'active' && <Actions visit={visit} token={token} />,
        },
      ]}
    />
  );
}

function Scopes({ token }: { token: TokenRow }): VNode {
  const scopes = scopesOf(token);
  if (scopes.length === SCOPES.length) return <span class="quiet">everything</span>;
  return <>{scopes.map((scope) => SCOPE_WORDS[scope].word).join(', ')}</>;
}

function LastUse({ token }: { token: TokenRow }): VNode {
  const { last_used_at: at, last_used_from: from, last_used_by: by } = token;
  return (
    <span class="stack close">
      <Time at={at} to="minute" />
      {from !== null && (
        <span class="quiet small long">
          from {from}
          {by !== null && `, ${by.length > 60 ? `${by.slice(0, 60)}…` : by}`}
        </span>
      )}
    </span>
  );
}

function State({ token, now }: { token: TokenRow; now: string }): VNode {
  switch (stateOfToken(token, now)) {
    case 'revoked':
      return <Badge tone="idle">Revoked</Badge>;
    case 'expired':
      return <Badge tone="idle">Expired</Badge>;
    default:
      return token.expires_at === null ? (
        <Badge tone="good">Active</Badge>
      ) : (
        <span class="stack close">
          <span>
            <Badge tone="warn">Active until</Badge>
          </span>
          <Time at={token.expires_at} to="minute" />
        </span>
      );
  }
}

const Actions = ({ visit, token }: { visit: Visit; token: TokenRow }): VNode => (
  <>
    <a class="button plain" href={`/panel/tokens/${token.id}/rotate`}>
      Rotate<span class="sr-only"> …{token.last_four}</span>
    </a>
    <Confirm
      visit={visit}
      id={`revoke-${token.id}`}
      action={`/panel/tokens/${token.id}/revoke`}
      button={
        <>
          Revoke<span class="sr-only"> …{token.last_four}</span>
        </>
      }
      tone="danger"
      title={`Revoke the token …${token.last_four}?`}
      confirm="Revoke it"
    >
      <p>
        Whoever uses it is refused at once. This cannot be undone. To replace it without an interruption,
        rotate it instead.
      </p>
    </Confirm>
  </>
);

const EXPIRIES = [
  { value: '', label: 'Until it is revoked', days: null },
  { value: '30', label: 'For 30 days', days: 30 },
  { value: '90', label: 'For 90 days', days: 90 },
  { value: '365', label: 'For a year', days: 365 },
];

async function generate(visit: Visit): Promise<Outcome> {
  const { world } = visit;
  const state = new FormState(visit.form);
  const line = (await world.store.lines.all()).find(({ id }) => String(id) === state.text('line'));
  if (!line) state.fault('line', 'Choose the line that the token opens.');
  const expiry = EXPIRIES.find(({ value }) => value === state.text('expires'));
  if (!expiry) state.fault('expires', 'Choose how long it works.');
  const name = state.text('name') || null;
  if (name !== null && name.length > LONGEST_NAME)
    state.fault('name', `A name has up to ${LONGEST_NAME} characters.`);
  const scopes = SCOPES.filter((scope) => state.all('scope').includes(scope));
  if (!scopes.length) state.fault('scope', 'Choose at least one.');
  if (!line || !expiry || !state.isGood) return showTokens(visit, state);
  const expiresAt = expiry.days === null ? null : isoTime(world.clock() + expiry.days * 24 * HOUR);
  const token = await createToken(world, visit.actor, line.id, { expiresAt, name, scopes });
  return showToken(visit, line, token, null);
}

/** @param until when the one that it replaces ends, as a sentence */
async function showToken(visit: Visit, line: LineRow, token: string, until: VNode | null): Promise<Outcome> {
  const { gatewayUrl, form } = visit;
  const back =
    form.get('from') === 'start'
      ? { href: '/panel/start', label: 'First steps' }
      : { href: '/panel/tokens', label: 'API' };
  return page(
    'The new token',
    <>
      <PageHead title="The new token" back={back}>
        It opens {line.name}, {line.phone_number}.
      </PageHead>
      <Card title="Token">
        <ShownOnce id="token" text={token} label="The token" />
        {until}
      </Card>
      <Card title="Try it with curl">
        {await sendSnippet({ visit, lineId: line.id, phoneNumberId: line.phone_number_id, token })}
      </Card>
      <Card title="Use it in n8n">
        <p class="quiet">
          Install the community node <code>n8n-nodes-messaging-gateway</code>, then add a credential{' '}
          <strong>Messaging Gateway API</strong> with:
        </p>
        <Facts
          facts={[
            ['Base URL', <Copy id="base-url" text={gatewayUrl} label="base URL" />],
            ['Line', <Copy id="line-id" text={line.phone_number_id} label="line" />],
            ['Token', 'the token above'],
          ]}
        />
      </Card>
      <p>
        <a class="button plain" href={back.href}>
          I have copied it
        </a>
      </p>
    </>,
  );
}

async function tokenAt({ world, params }: Visit): Promise<{ token: TokenRow; line: LineRow }> {
  const token = /^\d{1,9}$/.test(params.id ?? '') ? await world.store.tokens.find(Number(params.id)) : null;
  const line = token && (await world.store.lines.find(token.line_id));
  if (!token || !line || stateOfToken(token, isoTime(world.clock())) !== 'active') throw pageNotFound();
  return { token, line };
}

const OVERLAPS = [
  { value: '24', label: '24 hours more' },
  { value: '72', label: '3 days more' },
  { value: '1', label: 'One hour more' },
  { value: '0', label: 'Not at all' },
];

async function askRotation(visit: Visit): Promise<Outcome> {
  const { token, line } = await tokenAt(visit);
  const state = new FormState({ overlap: '24' });
  return page(
    'Rotate a token',
    <>
      <PageHead title={`Rotate …${token.last_four}`} back={{ href: '/panel/tokens', label: 'API' }}>
        A new token of {line.name} takes its place, with its name and all that it may do. Both work for a
        while, so that nothing is interrupted.
      </PageHead>
      <Card>
        <Form visit={visit} action={`/panel/tokens/${token.id}/rotate`} state={state}>
          <SelectField
            state={state}
            name="overlap"
            label={`The token …${token.last_four} works`}
            choices={OVERLAPS}
          />
          <SubmitOrCancel submit="Make the new token" back="/panel/tokens" />
        </Form>
      </Card>
    </>,
  );
}

async function rotate(visit: Visit): Promise<Outcome> {
  const { world } = visit;
  const { token, line } = await tokenAt(visit);
  const given = OVERLAPS.find(({ value }) => value === visit.form.get('overlap')) ?? OVERLAPS[0];
  const hours = Number(given?.value);
  const rotated = await rotateToken(world, visit.actor, token.id, hours);
  if (!rotated) throw pageNotFound();
  return showToken(
    visit,
    line,
    rotated.token,
    <>
      {rotated.expiresAt !== null && (
        <p>
          It works until <Time at={rotated.expiresAt} />: as long as the one before was to.
        </p>
      )}
      {rotated.until === null ? (
        <p>The token …{token.last_four} works no longer.</p>
      ) : (
        <p>
          The token …{token.last_four} goes on working until <Time at={rotated.until} />.
        </p>
      )}
    </>,
  );
}

async function revoke(visit: Visit): Promise<Outcome> {
  const { token } = await tokenAt(visit);
  await revokeToken(visit.world, visit.actor, token.id);
  return seeOther('/panel/tokens', `The token …${token.last_four} is revoked.`);
}
