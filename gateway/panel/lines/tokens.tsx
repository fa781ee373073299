import { type VNode } from 'preact';
import { settingsOf } from '../../alerts/outbox';
import {
  countOf,
  registrationsOf,
  removeRegistrations,
  type Registrations,
} from '../../alerts/use-cases/token-registrations';
import { type Line } from '../../lines/line';
import { LONGEST_NAME } from '../../lines/token-input';
import { createToken, revokeToken, rotateToken, stateOfToken } from '../../lines/tokens';
import { callbackOrigins } from '../../questions/question';
import { type LineRow } from '../../store/tables/lines';
import { SCOPES, USUAL_SCOPES } from '../../store/schema';
import { scopesOf, type TokenRow } from '../../store/tables/tokens';
import { DAY, isoTime } from '../../time';
import { FormState } from '../form-state';
import {
  ChoiceField,
  Confirm,
  Form,
  QuestionBox,
  SelectField,
  Submit,
  SubmitOrCancel,
  TextField,
} from '../ui/form';
import { ListHead } from '../ui/frame/line-head';
import { chosenLine, LineField } from '../ui/line-field';
import { Live } from '../ui/live';
import { Places, placeOf } from '../ui/places';
import { Badge, Card, Copy, Empty, Facts, PageHead, ShownOnce, Table, Time } from '../ui/parts';
import { pageNotFound } from '../ui/frame/error-page';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { DEMO_CONTACT } from '../send/phone-address';
import { curlOf, readingCurlOf } from '../send/curl';
import { contactText } from '../ui/contact';
import { sendSnippet } from '../send/send-snippet';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';
import { scopeWords } from '../ui/words/choice-words';

/** API tokens, with which programs use lines. */
export const tokenPages: PanelRoute[] = [
  pageRoute(
    'events.read',
    '/tokens',
    (context) => showTokens(context, emptyForm(context.query.get('line') ?? '')),
    {
      live: true,
    },
  ),
  pageRoute('events.read', '/lines/:id/tokens', ({ params }) =>
    seeOther(`/panel/tokens?line=${Number(params.id) || ''}`),
  ),
  actionRoute('tokens.manage', '/tokens', generate, { confirmed: () => t('To generate a token') }),
  pageRoute('tokens.manage', '/tokens/:id/rotate', askRotation),
  actionRoute('tokens.manage', '/tokens/:id/rotate', rotate, { confirmed: () => t('To rotate a token') }),
  actionRoute('tokens.manage', '/tokens/:id/revoke', revoke, { confirmed: () => t('To revoke a token') }),
  actionRoute('tokens.manage', '/tokens/:id/registered', removeRegistered, {
    confirmed: () => t('To remove the destinations of a token'),
  }),
];

/** A new token has the usual scopes. */
function emptyForm(line: string): FormState {
  const values = new FormData();
  values.set('line', line);
  USUAL_SCOPES.forEach((scope) => values.append('scope', scope));
  return new FormState(values);
}

const PAGE = 50;
/** With more tokens above it, the form is out of sight and the heading links to it. */
const MOST_ABOVE = 5;

async function showTokens(context: UserContext, state: FormState): Promise<PanelResponse> {
  const { query, deps } = context;
  const lines = deps.lines.all();
  const asked = { line: query.get('line') ?? '', q: query.get('q') ?? '' };
  const only = chosenLine(lines, asked.line || asked.q).line;
  const isNone = !only && asked.q !== '';
  const from = placeOf(query);
  const mayGenerate = context.may('tokens.manage', only?.id);
  const { rows, all } = isNone
    ? { rows: [], all: 0 }
    : await deps.store.tokens.page(only?.id ?? null, from, PAGE);
  const list = (
    <>
      <Tokens
        lines={lines}
        tokens={rows}
        isNone={isNone}
        registered={await registrationsOf(
          deps,
          rows.filter(({ line_id: id }) => context.may('tokens.manage', id)),
        )}
      />
      <Places
        from={from}
        shown={rows.length}
        all={all}
        page={PAGE}
        hrefOf={(place) =>
          `/panel/tokens?${new URLSearchParams({ ...(only && { line: String(only.id) }), from: String(place) })}`
        }
      />
    </>
  );
  return page(
    <ListHead
      line={only}
      here="tokens"
      title={t('API tokens')}
      actions={
        mayGenerate &&
        rows.length > MOST_ABOVE && (
          <a class="button primary" href="#generate">
            {t('Generate a token')}
          </a>
        )
      }
    >
      {t(
        'A token gives one program access to one line: n8n, your CRM or your own code. Generate one for each program, so you can revoke them separately.',
      )}
    </ListHead>,
    <>
      {!only && (isNone || all > PAGE) && (
        <form class="filter" method="get" action="/panel/tokens" role="search" aria-label={t('Tokens')}>
          <LineField state={new FormState(asked)} name="q" />
          <Submit tone="plain">{t('Filter')}</Submit>
        </form>
      )}
      <Card flush title={t('Tokens')}>
        {/* A page with form issues is the answer to a POST, which cannot be live. */}
        {context.method === 'GET' ? <Live id="tokens">{list}</Live> : list}
      </Card>
      {mayGenerate && lines.length > 0 && (
        <Card id="generate" title={t('Generate a token')}>
          <Form action="/panel/tokens" state={state}>
            <LineField permission="tokens.manage" none={lines.length > 1 ? t('Choose a line') : null} />
            <TextField
              name="name"
              label={t('Name')}
              hint={t('A label, for example “n8n production”')}
              maxLength={LONGEST_NAME}
            />
            <ChoiceField
              name="scope"
              label={t('Permissions')}
              hint={t('n8n needs the first three.')}
              many
              choices={SCOPES.map((value) => ({ value, ...scopeWords()[value] }))}
            />
            <SelectField
              name="answers"
              label={t('Answers')}
              hint={t('For clients that refuse fields that the platform does not have.')}
              choices={answersChoices()}
            />
            <SelectField name="expires" label={t('Expires')} choices={expiries()} />
            <div class="actions">
              <Submit>{t('Generate token')}</Submit>
            </div>
          </Form>
        </Card>
      )}
    </>,
    state,
  );
}

interface TokensProps {
  lines: Line[];
  tokens: TokenRow[];
  /** Whether the search matches no line or several. */
  isNone: boolean;
  registered: (token: TokenRow) => Registrations;
}

function Tokens({ lines, tokens, isNone, registered }: TokensProps): VNode {
  const { deps, may } = useRequest();
  const now = isoTime(deps.clock());
  const nameOf = (id: number) => lines.find((line) => line.id === id)?.name ?? String(id);
  if (!lines.length)
    return (
      <Empty title={t('There is no line yet')}>
        <p>{t('A token belongs to a line: add the line first.')}</p>
        {may('lines.manage') && (
          <a class="button primary" href="/panel/lines/new">
            {t('Add a line')}
          </a>
        )}
      </Empty>
    );
  if (isNone)
    return (
      <Empty title={t('No line, or several lines, match')}>
        <a href="/panel/tokens">{t('Show the tokens of all lines')}</a>
      </Empty>
    );
  if (!tokens.length)
    return (
      <Empty title={t('There is no token yet')}>
        <p>{t('Generate one below; it is shown once, with a request to try it.')}</p>
      </Empty>
    );
  return (
    <Table
      caption={t('Tokens')}
      rows={tokens}
      rowKey={({ id }) => id}
      brief="inline"
      columns={[
        {
          label: t('Token'),
          heading: true,
          cell: (token) => <TokenName token={token} prefix="gwl_" />,
        },
        { label: t('Line'), cell: ({ line_id: id }) => <a href={`/panel/lines/${id}`}>{nameOf(id)}</a> },
        { label: t('Permissions'), cell: (token) => <Scopes token={token} /> },
        { label: t('State'), cell: (token) => <TokenState token={token} now={now} /> },
        { label: t('Created'), cell: ({ created_at: at }) => <Time at={at} to="minute" /> },
        { label: t('Last used'), cell: (token) => <LastUse token={token} /> },
        {
          label: t('Actions'),
          actions: true,
          cell: (token) =>
            may('tokens.manage', token.line_id) &&
            (stateOfToken(token, now) === 'active' ? (
              <Actions token={token} line={nameOf(token.line_id)} registered={registered(token)} />
            ) : (
              <Leftover token={token} registered={registered(token)} />
            )),
        },
      ]}
    />
  );
}

function Scopes({ token }: { token: TokenRow }): VNode {
  const scopes = scopesOf(token);
  return (
    <span class="stack close">
      <span>{scopes.map((scope) => scopeWords()[scope].word).join(', ')}</span>
      {token.answers && <span class="quiet small">{t('Answers: the platform’s fields only')}</span>}
    </span>
  );
}

type Use = Pick<TokenRow, 'last_used_at' | 'last_used_from' | 'last_used_by'>;

/** When, from where and by which client a token was last used. */
export function LastUse({ token }: { token: Use }): VNode {
  const { last_used_at: at, last_used_from: from, last_used_by: by } = token;
  return (
    <span class="stack close">
      <Time at={at} to="minute" />
      {from !== null && (
        <span class="quiet small long">
          {t('from {address}', { address: from })}
          {by !== null && `, ${by.length > 60 ? `${by.slice(0, 60)}…` : by}`}
        </span>
      )}
    </span>
  );
}

type Validity = Pick<TokenRow, 'revoked_at' | 'expires_at'>;

interface TokenNameProps {
  token: Pick<TokenRow, 'id' | 'name' | 'last_four'>;
  prefix: string;
}

/** The name of a token, if it has one, with its last characters and its id. */
export const TokenName = ({ token: { id, name, last_four: last }, prefix }: TokenNameProps): VNode => (
  <span class="stack close">
    {name !== null && <span class="long">{name}</span>}
    <span>
      <code>
        {prefix}…{last}
      </code>{' '}
      <span class="quiet small">({id})</span>
    </span>
  </span>
);

/** A token that expires within two weeks needs to be replaced. @param now ISO time */
const soon = (now: string): string => isoTime(Date.parse(now) + 14 * DAY);

/** Whether a token works. @param now ISO time */
export function TokenState({ token, now }: { token: Validity; now: string }): VNode {
  switch (stateOfToken(token, now)) {
    case 'revoked':
      return <Badge tone="idle">{t.of('token', 'Revoked')}</Badge>;
    case 'expired':
      return <Badge tone="idle">{t.of('token', 'Expired')}</Badge>;
    default:
      return token.expires_at === null ? (
        <Badge tone="good">{t.of('token', 'Active')}</Badge>
      ) : (
        <span class="stack close">
          <span>
            <Badge tone={token.expires_at < soon(now) ? 'warn' : 'good'}>
              {t.of('token', 'Active until')}
            </Badge>
          </span>
          <Time at={token.expires_at} to="minute" />
        </span>
      );
  }
}

/** The token's name with its last four characters, because several tokens can have the same name. */
const tokenWord = ({ name, last_four: last }: TokenRow): string =>
  name === null ? `…${last}` : `${name} (…${last})`;

interface ActionsProps {
  token: TokenRow;
  line: string;
  registered: Registrations;
}

const Actions = ({ token, line, registered }: ActionsProps): VNode => (
  <>
    <a class="button quiet" href={`/panel/tokens/${token.id}/rotate`}>
      {t('Rotate')}
      <span class="sr-only"> …{token.last_four}</span>
    </a>
    <Confirm
      id={`revoke-${token.id}`}
      formId={`revoke-form-${token.id}`}
      action={`/panel/tokens/${token.id}/revoke`}
      button={
        <>
          {t('Revoke')}
          <span class="sr-only"> …{token.last_four}</span>
        </>
      }
      tone="danger"
      isQuiet
      title={t('Revoke the token {token}?', { token: tokenWord(token) })}
      confirm={t('Revoke it')}
    >
      <p>
        {t.rich('It opens {name}. Last used: {when}.', {
          name: line,
          when: <Time at={token.last_used_at} to="minute" />,
        })}
      </p>
      <p>
        {t(
          'Programs that use this token are refused immediately. You can’t undo this. To replace the token without an interruption, rotate it instead.',
        )}
      </p>
      {countOf(registered) > 0 && (
        <>
          <Registered registered={registered} />
          <QuestionBox
            formId={`revoke-form-${token.id}`}
            name="registered"
            label={t('Also remove these addresses')}
            checked={registered.successor === null}
          />
        </>
      )}
    </Confirm>
  </>
);

/** Removes what an invalid token registered, which still receives events. */
function Leftover({ token, registered }: Omit<ActionsProps, 'line'>): VNode | null {
  if (!countOf(registered)) return null;
  return (
    <Confirm
      id={`registered-${token.id}`}
      action={`/panel/tokens/${token.id}/registered`}
      button={
        <>
          {t('Remove its destinations')}
          <span class="sr-only"> …{token.last_four}</span>
        </>
      }
      tone="danger"
      isQuiet
      title={t('Remove the addresses that the token {token} registered?', { token: tokenWord(token) })}
      confirm={t('Remove')}
    >
      <Registered registered={registered} />
    </Confirm>
  );
}

/** What a token registered. */
export function Registered({ registered }: { registered: Registrations }): VNode {
  const { destinations, channels, questions, successor } = registered;
  const { deps } = useRequest();
  return (
    <>
      <p>
        {t('It registered the following, which receives messages, alerts or answers until you remove it:')}
      </p>
      <ul>
        {destinations.map(({ id, url }) => (
          <li key={id} class="long">
            <code>{url}</code>
          </li>
        ))}
        {channels.map((row) => (
          <li key={row.id} class="long">
            <code>{settingsOf(deps.vault, row).url}</code> {t('(alerts)')}
          </li>
        ))}
        {questions.length > 0 && (
          <li class="long">
            {t('{count, plural, one {# open question} other {# open questions}}, with answers to {servers}', {
              count: questions.length,
              servers: callbackOrigins(questions, deps.vault).join(', '),
            })}
          </li>
        )}
      </ul>
      {successor && (
        <p>{t('The token {token}, which replaced it, uses them too.', { token: tokenWord(successor) })}</p>
      )}
    </>
  );
}

const answersChoices = () => [
  { value: '', label: t('With the fields of the gateway') },
  { value: 'platform', label: t('With the platform’s fields only') },
];

/** The choices of a token's lifetime, in days. */
const expiries = () => [
  { value: '', label: t('Never, until it is revoked') },
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In a year') },
];

/** Form field names that differ from the names in issues. */
const FIELDS = { scopes: 'scope', expires_at: 'expires' };

async function generate(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const state = new FormState(context.form);
  const chosen = chosenLine(deps.lines.all(), state.text('line')).line;
  const line = chosen && (await deps.store.lines.find(chosen.id));
  if (!line) state.addIssue('line', t('Choose the line that the token opens.'));
  const expires = state.text('expires');
  const given = {
    name: state.text('name'),
    scopes: state.all('scope'),
    answers: state.text('answers') || null,
    expiresAt: /^\d{1,3}$/.test(expires) ? isoTime(deps.clock() + Number(expires) * DAY) : expires || null,
  };
  const made = line && (await state.given(() => createToken(deps, context.actor, line.id, given), FIELDS));
  return line && made ? showToken(context, line, made.token, null) : showTokens(context, state);
}

/** @param until a sentence that says when the replaced token expires; null for a new token */
async function showToken(
  context: UserContext,
  line: LineRow,
  token: string,
  until: VNode | null,
): Promise<PanelResponse> {
  const { gatewayUrl, form } = context;
  const back =
    form.get('from') === 'start'
      ? { href: '/panel/start', label: t('First steps') }
      : { href: '/panel/tokens', label: t('API tokens') };
  return page(
    <PageHead title={t('The new token')} back={back}>
      {t('It opens {name}, {number}.', { name: line.name, number: contactText(line.phone_number) })}
    </PageHead>,
    <>
      <Card title={t('Token')}>
        <ShownOnce id="token" text={token} label={t('The token')} />
        {until}
      </Card>
      <Card title={t('Try it with curl')}>
        {await sendSnippet({ context, lineId: line.id, phoneNumberId: line.phone_number_id, token })}
        <Examples line={line} token={token} />
      </Card>
      <Card title={t('Use it in n8n')}>
        <p class="quiet">
          {t.rich(
            'Install the nodes <code>n8n-nodes-messaging-gateway</code> as described in the README, then add a credential <strong>Messaging Gateway API</strong> with:',
          )}
        </p>
        <Facts
          facts={[
            [t('Base URL'), <Copy id="base-url" text={gatewayUrl} label={t('base URL')} />],
            [t('Line'), <Copy id="line-id" text={line.phone_number_id} label={t('line')} />],
            [t('Token'), t('the token above')],
          ]}
        />
      </Card>
      <p>
        <a class="button plain" href={back.href}>
          {t('I have copied it')}
        </a>
      </p>
    </>,
  );
}

/** Commands for other requests, ready to run with the token. */
function Examples({ line, token }: { line: LineRow; token: string }): VNode {
  const { gatewayUrl } = useRequest();
  const of = { gatewayUrl, phoneNumberId: line.phone_number_id, token };
  const examples: [string, string][] = [
    [t('Send a template'), curlOf({ ...of, body: TEMPLATE })],
    [t('Check whether the line is ready'), readingCurlOf({ ...of, path: 'status' })],
    [t('List the templates'), readingCurlOf({ ...of, path: 'templates' })],
  ];
  return (
    <>
      <div class="folds">
        {examples.map(([title, command], index) => (
          <details key={title} name="examples">
            <summary>{title}</summary>
            <div class="stack close">
              <Copy id={`example-${index}`} text={command} label={title} />
            </div>
          </details>
        ))}
      </div>
      <p class="quiet small">
        {t.rich(
          'Every operation, field and error is in the <link>API reference</link>. Opened from here, it has this token to try each of them with.',
          {
            link: (parts) => (
              <a href="/docs" target="_blank">
                {parts}
              </a>
            ),
          },
        )}
      </p>
    </>
  );
}

/** Every WhatsApp account has this template. */
const TEMPLATE = {
  messaging_product: 'chat',
  to: DEMO_CONTACT,
  type: 'template',
  template: { name: 'hello_world', language: { code: 'en_US' } },
};

async function tokenAt({ deps, params }: UserContext): Promise<{ token: TokenRow; line: LineRow }> {
  const token = /^\d{1,9}$/.test(params.id ?? '') ? await deps.store.tokens.find(Number(params.id)) : null;
  const line = token && (await deps.store.lines.find(token.line_id));
  if (!token || !line || stateOfToken(token, isoTime(deps.clock())) !== 'active') throw pageNotFound();
  return { token, line };
}

const overlaps = () => [
  { value: '24', label: t('24 hours more') },
  { value: '72', label: t('3 days more') },
  { value: '1', label: t('One hour more') },
  { value: '0', label: t('Not at all') },
];

async function askRotation(
  context: UserContext,
  state = new FormState({ overlap: '24' }),
): Promise<PanelResponse> {
  const { token, line } = await tokenAt(context);
  return page(
    <PageHead
      tab={t('Rotate a token')}
      title={t('Rotate {token}', { token: tokenWord(token) })}
      back={{ href: '/panel/tokens', label: t('API tokens') }}
    >
      {t(
        'A new token replaces {name}, with the same name and permissions. Both work for a while, so nothing is interrupted.',
        { name: line.name },
      )}
    </PageHead>,
    <Card>
      <Form action={`/panel/tokens/${token.id}/rotate`} state={state}>
        <SelectField
          name="overlap"
          label={t('The token …{lastFour} works', { lastFour: token.last_four })}
          choices={overlaps()}
        />
        <SubmitOrCancel submit={t('Make the new token')} back="/panel/tokens" />
      </Form>
    </Card>,
    state,
  );
}

async function rotate(context: UserContext): Promise<PanelResponse> {
  const { deps } = context;
  const { token, line } = await tokenAt(context);
  const state = new FormState(context.form);
  const rotated = await state.given(() => rotateToken(deps, context.actor, token.id, state.text('overlap')));
  if (!state.isValid) return askRotation(context, state);
  if (!rotated) throw pageNotFound();
  return showToken(
    context,
    line,
    rotated.token,
    <>
      {rotated.expiresAt !== null && (
        <p>
          {t.rich('It works until {time}, like the previous token.', {
            time: <Time at={rotated.expiresAt} />,
          })}
        </p>
      )}
      {rotated.until === null ? (
        <p>{t('The token …{lastFour} no longer works.', { lastFour: token.last_four })}</p>
      ) : (
        <p>
          {t.rich('The token …{lastFour} works until {time}.', {
            lastFour: token.last_four,
            time: <Time at={rotated.until} />,
          })}
        </p>
      )}
    </>,
  );
}

async function revoke(context: UserContext): Promise<PanelResponse> {
  const { deps, form, actor } = context;
  const { token } = await tokenAt(context);
  const registered = (await registrationsOf(deps, [token]))(token);
  await revokeToken(deps, actor, token.id);
  if (form.has('registered')) await removeRegistrations(deps, actor, registered);
  return seeOther('/panel/tokens', t('The token …{lastFour} is revoked.', { lastFour: token.last_four }));
}

async function removeRegistered({ deps, params, actor }: UserContext): Promise<PanelResponse> {
  const token = /^\d{1,9}$/.test(params.id ?? '') ? await deps.store.tokens.find(Number(params.id)) : null;
  if (!token || stateOfToken(token, isoTime(deps.clock())) === 'active') throw pageNotFound();
  await removeRegistrations(deps, actor, (await registrationsOf(deps, [token]))(token));
  return seeOther(
    '/panel/tokens',
    t('The addresses that the token …{lastFour} registered are removed.', { lastFour: token.last_four }),
  );
}
