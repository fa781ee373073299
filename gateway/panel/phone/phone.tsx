import { type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { type Line } from '../../lines/line';
import { t } from '../languages/t';
import { FormState } from '../form-state';
import { SelectField, Submit, TextField } from '../ui/form';
import { formatted } from '../ui/formatted-text';
import { messageHref } from '../chat/thread';
import { Live } from '../ui/live';
import { Avatar } from '../ui/avatar';
import { contactText } from '../ui/contact';
import { LookContext } from '../ui/frame/look';
import { Card, Empty, inZone, Notice, PageHead } from '../ui/parts';
import { demoTokenOf } from '../send/demo-token';
import { pageNotFound } from '../ui/frame/error-page';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { contentOf, summaryOf } from './chat';
import { sendFile } from './media';
import { phoneAt, phoneLines, type PhoneParams } from './route-params';
import { DEMO_CONTACT, isContact, phoneAddress } from '../send/phone-address';
import {
  askSandbox,
  contactPath,
  SandboxUnavailable,
  SandboxRefusal,
  type PhoneConversation,
  type PhoneContact,
  type PhoneMessage,
  type Switches,
  type NetworkReport,
} from '../send/sandbox-client';
import { Screen } from './screen';
import { firstStepsDone } from '../send/first-steps-done';
import { QuickCompose } from '../send/quick-compose';
import { SentAs } from '../send/sent';
import { ConditionsPanel, Fold } from './conditions-form';
import { setConditions } from './set-conditions';
import { FILE_MOST, writeAsContact } from './write-message';
import { useRequest } from '../ui/page-request';

/** The start page of the phone, which explains the sandbox if there is none. */
export const phonePages: PanelRoute[] = [pageRoute('messages.read', '/phone', showFirst)];

/** The phone of each sandbox contact: its chat, and a form to write. */
export const sandboxPages: PanelRoute[] = [
  pageRoute('messages.send', '/phone/new', openPhone),
  pageRoute('messages.read', '/phone/files/:file', sendFile),
  pageRoute('messages.read', '/phone/:line/:contact', (context) => showPhone(context), { live: true }),
  actionRoute('messages.send', '/phone/:line/:contact', act, { limit: FILE_MOST }),
];

/** Most contacts listed. Others can be opened by number. */
const LISTED = 100;

/** Opens the most recently used phone, or explains how to begin. */
async function showFirst(context: UserContext): Promise<PanelResponse> {
  const { sandboxUrl } = context.deps;
  if (sandboxUrl === null) return withoutSandbox();
  const lines = phoneLines(context);
  const line = lines.find(({ id }) => String(id) === context.query.get('line')) ?? lines[0];
  if (!line) return withoutLine(context);
  const contacts = await contactsOf(sandboxUrl, line).catch(nullIfUnavailable);
  if (!contacts) return unavailable();
  return seeOther(phoneAddress(line, contacts[0]?.contact ?? DEMO_CONTACT));
}

async function showPhone(context: UserContext, refusal: string | null = null): Promise<PanelResponse> {
  const phone = phoneAt(context);
  const { line, contact, address } = phone;
  const seen = await readPhone(context.deps.sandboxUrl ?? '', phone).catch(nullIfUnavailable);
  if (!seen) return unavailable();
  const { contacts, conversation, switches, conditions } = seen;
  const guide = await guideOf(context, line, conversation.messages);
  const sent = conversation.messages.find(({ id }) => id === context.query.get('sent')) ?? null;
  const name = conversation.name ?? (context.query.get('name')?.slice(0, 200) || null);
  const typed = context.form.get('text');
  return page(
    <PageHead
      title={t('Sandbox phone')}
      back={guide === null ? undefined : { href: '/panel/start', label: t('First steps') }}
    >
      {t.rich('You are <name></name>', {
        name: () => (
          <strong>
            <bdi>{name ?? contactText(contact)}</bdi>
          </strong>
        ),
      })}
      <span class="phone-note">
        {' '}
        · <bdi>{line.name}</bdi> · {t('Nothing leaves this machine.')}
      </span>
    </PageHead>,
    <div class="phone-page">
      <Screen
        line={line}
        conversation={conversation}
        name={name}
        action={address}
        guide={guide || (sent && context.query.get('from') === 'send' && <Sent line={line} />)}
        refusal={context.form.has('do') ? null : refusal}
        typed={refusal !== null && typeof typed === 'string' ? typed : undefined}
        help={
          context.may('messages.send', line.id) ? (
            <FirstHelp />
          ) : (
            <p class="chat-guide">{t('No messages yet')}</p>
          )
        }
      />
      <ContactList line={line} chosen={contact} contacts={contacts} />
      <ConditionsPanel
        line={line}
        contact={contact}
        switches={switches}
        conditions={conditions}
        action={address}
        refusal={context.form.has('do') ? refusal : null}
      >
        {sent && <WhatWasSent line={line} contact={contact} message={sent} />}
        {context.may('messages.send', line.id) && (
          <Fold
            title={t('Write as {line}', { line: line.name })}
            id="write-as-line"
            isOpen={!sent && !context.form.has('do')}
          >
            <QuickCompose line={line} to={contact} from="phone" />
          </Fold>
        )}
      </ConditionsPanel>
    </div>,
    { status: refusal === null ? 200 : 422 },
  );
}

/** The way back for a user who sent the message from a line's page. */
const Sent = ({ line: { id, name } }: { line: Line }): VNode => (
  <span role="status">
    <strong>{t('Sent.')}</strong>{' '}
    {t.rich('Back to <link>{name}</link>', {
      name,
      link: (parts) => <a href={`/panel/lines/${id}`}>{parts}</a>,
    })}
  </span>
);

/**
 * The next of the first steps; empty after a later message. Null if the steps are done, or for another line.
 */
async function guideOf(
  context: UserContext,
  line: Line,
  messages: readonly PhoneMessage[],
): Promise<ComponentChildren> {
  if (!context.may('events.read', null) || context.deps.lines.all()[0]?.id !== line.id) return null;
  const { isSent, isAnswered, isUsed, isForwarded } = await firstStepsDone(context, line);
  if (isAnswered && isUsed && isForwarded) return null;
  if (isAnswered && !isFirstAnswerLast(messages)) return '';
  if (isAnswered)
    return t.rich(
      '<strong>It works.</strong> Your answer was received as an <event>event</event>. <link>Next step</link>',
      {
        event: (parts) => <a href={`/panel/events?line=${line.id}`}>{parts}</a>,
        link: (parts) => <a href="/panel/start">{parts}</a>,
      },
    );
  return isSent ? t('You are the contact now: tap a button above, or write below.') : '';
}

/** Whether the contact's first answer is the last message. */
function isFirstAnswerLast(messages: readonly PhoneMessage[]): boolean {
  const asked = messages.findIndex(({ direction }) => direction === 'to_contact');
  const answer = messages.findIndex(({ direction }, at) => at > asked && direction === 'from_contact');
  return asked >= 0 && answer === messages.length - 1;
}

async function readPhone(sandboxUrl: string, { line, contact }: PhoneParams) {
  const ofLine = `?line=${encodeURIComponent(line.phoneNumberId)}`;
  const [contacts, conversation, switches, conditions] = await Promise.all([
    contactsOf(sandboxUrl, line),
    askSandbox<PhoneConversation>(sandboxUrl, 'GET', contactPath(contact, `/messages${ofLine}`)),
    askSandbox<Switches>(sandboxUrl, 'GET', contactPath(contact)),
    askSandbox<NetworkReport>(sandboxUrl, 'GET', ''),
  ]);
  return { contacts, conversation, switches, conditions };
}

async function contactsOf(sandboxUrl: string, { phoneNumberId }: Line): Promise<PhoneContact[]> {
  const path = `/contacts?line=${encodeURIComponent(phoneNumberId)}`;
  return (await askSandbox<{ contacts: PhoneContact[] }>(sandboxUrl, 'GET', path)).contacts;
}

/** Returns null if the sandbox doesn't answer; throws for other errors. */
function nullIfUnavailable(error: unknown): null {
  if (error instanceof SandboxUnavailable) return null;
  if (error instanceof SandboxRefusal) throw pageNotFound();
  throw error;
}

async function write(context: UserContext): Promise<PanelResponse> {
  const phone = phoneAt(context);
  await writeAsContact(context, phone);
  return seeOther(phone.address);
}

/** Acts as the contact, or changes a simulation. A refusal by the sandbox is shown on the phone's page. */
async function act(context: UserContext): Promise<PanelResponse> {
  try {
    return await (context.form.has('do') ? setConditions(context) : write(context));
  } catch (error) {
    if (error instanceof SandboxUnavailable) return unavailable();
    if (!(error instanceof SandboxRefusal)) throw error;
    return showPhone(context, error.message);
  }
}

/** A phone needs no setup: any number can be opened. */
function openPhone(context: UserContext): PanelResponse {
  const state = new FormState(Object.fromEntries(context.query));
  const lines = phoneLines(context);
  const line = lines.find(({ id }) => String(id) === state.text('line')) ?? lines[0];
  if (context.deps.sandboxUrl === null || !line) return seeOther('/panel/phone');
  const given = state.required('contact', t("Enter the contact's number."));
  const contact = isContact(given) ? given : given.replace(/[+ ()-]/g, '');
  if (given && !isContact(contact))
    state.addIssue('contact', t('A number has 5 to 20 digits, with its country code: 12025550147.'));
  if (state.isValid) {
    const name = state.text('name').slice(0, 200);
    return seeOther(`${phoneAddress(line, contact)}${name ? `?${new URLSearchParams({ name })}` : ''}`);
  }
  return page(
    <PageHead title={t('Open a phone')} back={{ href: '/panel/phone', label: t('Sandbox phone') }} />,
    <Card>
      <NewPhone line={line} state={state} />
    </Card>,
    state,
  );
}

function NewPhone({ line, state }: { line: Line; state: FormState }): VNode {
  return (
    <form class="form close" method="get" action="/panel/phone/new" novalidate>
      <input type="hidden" name="line" value={line.id} />
      <TextField
        state={state}
        name="contact"
        label={t('Number')}
        type="tel"
        hint={t('With country code. Any number works.')}
        placeholder="12025550123"
      />
      <TextField state={state} name="name" label={t('Name')} optional maxLength={200} />
      <Submit tone="plain">{t('Open')}</Submit>
    </form>
  );
}

interface ListProps {
  line: Line;
  chosen: string;
  contacts: PhoneContact[];
}

function ContactList({ line, chosen, contacts }: ListProps): VNode {
  const context = useRequest();
  const lines = phoneLines(context);
  return (
    <section class="contacts" id="contacts" aria-label={t('Contacts')}>
      {lines.length > 1 && (
        <form class="form close" method="get" action="/panel/phone" data-reload="">
          <SelectField
            state={new FormState({ line: String(line.id) })}
            name="line"
            label={t('Line')}
            choices={lines.map(({ id, name }) => ({ value: String(id), label: name }))}
          />
          <Submit tone="plain">{t('Show')}</Submit>
        </form>
      )}
      <h2>{t('Contacts')}</h2>
      <Live id="contact-list">
        <ul class="contact-list">
          {!contacts.some(({ contact }) => contact === chosen) && (
            <ContactRow
              one={{
                contact: chosen,
                name: null,
                last_wrote: null,
                window: { open: false, expires_at: null },
                last_message: null,
              }}
              line={line}
              isChosen
            />
          )}
          {contacts.slice(0, LISTED).map((one) => (
            <ContactRow key={one.contact} one={one} line={line} isChosen={one.contact === chosen} />
          ))}
        </ul>
        {contacts.length > LISTED && (
          <p class="quiet small">
            {contacts.length >= 1000
              ? t('At least {count, number} more. Open them by number.', {
                  count: contacts.length - LISTED,
                })
              : t('{count, number} more. Open them by number.', { count: contacts.length - LISTED })}
          </p>
        )}
      </Live>
      {context.may('messages.send', line.id) && (
        <details class="more">
          <summary>{t('Open another phone')}</summary>
          <NewPhone line={line} state={new FormState()} />
        </details>
      )}
    </section>
  );
}

function ContactRow({ one, line, isChosen }: { one: PhoneContact; line: Line; isChosen: boolean }): VNode {
  const name = one.name ?? contactText(one.contact);
  const last = one.last_message;
  const { zone = 'UTC' } = useContext(LookContext);
  return (
    <li>
      <a href={phoneAddress(line, one.contact)} aria-current={isChosen ? 'true' : undefined}>
        <Avatar name={one.name} of={one.contact} />
        <span class="contact-words">
          <span class="contact-line">
            <span class="contact-name" dir="auto">
              {name}
            </span>
            {last && (
              <time class="contact-time" dateTime={last.at} data-local="chat">
                {inZone(last.at, zone, 'hour')}
              </time>
            )}
          </span>
          {one.name !== null && <span class="contact-detail number">{contactText(one.contact)}</span>}
          <span class="contact-detail contact-last" dir="auto">
            {last ? formatted(summaryOf(last), (text) => [text]) : t('No messages yet')}
          </span>
        </span>
      </a>
    </li>
  );
}

/** The API request that a program would send for a message written here. */
function WhatWasSent({
  line,
  contact,
  message,
}: {
  line: Line;
  contact: string;
  message: PhoneMessage;
}): VNode {
  const context = useRequest();
  const { type, replies_to: repliesTo } = message;
  const body = {
    messaging_product: 'chat',
    to: contact,
    type,
    [type]: contentOf(message),
    ...(repliesTo !== undefined && { context: { message_id: repliesTo } }),
  };
  return (
    <Fold title={t('Send the same from a program')} isOpen>
      <p>
        <a href={messageHref({ line_id: line.id, wamid: message.id })}>{t('View status')}</a>
      </p>
      <SentAs line={line} body={body} token={demoTokenOf(context, line)} />
    </Fold>
  );
}

function FirstHelp(): VNode {
  return (
    <div class="first-help">
      <h3>{t('Try it in three steps')}</h3>
      <ol>
        <li>
          {t.rich(
            'Send “Hello” below, as this contact. That opens the <strong>24-hour window</strong>: until it closes you may answer freely.',
          )}
        </li>
        <li>
          {t.rich('Answer as the line under <link>Write as the line</link>, from n8n, or through the API.', {
            link: (parts) => <a href="#write-as-line">{parts}</a>,
          })}
        </li>
        <li>{t('The answer appears here within a second, with its status.')}</li>
      </ol>
    </div>
  );
}

const withoutSandbox = (): PanelResponse =>
  page(
    <PageHead title={t('Sandbox phone')} />,
    <Card>
      <Empty title={t('This gateway has no sandbox')}>
        <p>{t('It sends to real phones. Only a gateway with a sandbox simulates WhatsApp.')}</p>
        <p>
          {t.rich(
            'Start one with <code>npm start</code>, or with <code>GATEWAY_UPSTREAM_URL=sandbox</code> and a database of its own.',
          )}
        </p>
      </Empty>
    </Card>,
  );

const withoutLine = ({ may }: UserContext): PanelResponse =>
  page(
    <PageHead title={t('Sandbox phone')} />,
    <Card>
      <Empty title={t('There is no line yet')}>
        <p>
          {t(
            'A contact writes to a line, which is one of your phone numbers. In the sandbox, any number works.',
          )}
        </p>
        {may('lines.manage') && (
          <a class="button primary" href="/panel/lines/new">
            {t('Add a line')}
          </a>
        )}
      </Empty>
    </Card>,
  );

/** On an open page, the notice appears above the chat and disappears when the sandbox answers again. */
const unavailable = (): PanelResponse =>
  page(
    <PageHead title={t('Sandbox phone')} />,
    <>
      <Live id="away">
        <Notice tone="bad">
          <p>
            <strong>{t('The sandbox does not answer.')}</strong>{' '}
            {t('If you simulated a missing receiver, the simulation ends by itself.')}
          </p>
        </Notice>
      </Live>
      <p>
        <a class="button plain" href="/panel/phone">
          {t('Open the phone again')}
        </a>
      </p>
    </>,
    { status: 503 },
  );
