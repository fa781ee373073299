import { type Json } from '../../cloud-api/json/json-value';
import { hash } from 'node:crypto';
import { type ComponentChildren, type VNode } from 'preact';
import { refusalOfFailure } from '../../cloud-api/failures';
import {
  isToGroup,
  normalizedRecipient,
  recipientOf,
  type MessageRequest,
} from '../../cloud-api/validate/message-request';
import { Refusal } from '../../errors';
import { kindOf as kindOfFile } from '../../media/media-type';
import { validateUpload, type FormPart } from '../../media/validate-upload';
import { type Line } from '../../lines/line';
import { pauseByAnswer } from '../../messages/automation-pauses';
import { ownSend, send as sendMessage, type SendAnswer } from '../../sending/send';
import { type TemplateRecord } from '../../templates/template-record';
import { randomText } from '../../users/secret-text';
import { t } from '../languages/t';
import { FormState } from '../form-state';
import { contactText } from '../ui/contact';
import { isContact, phoneAddress } from '../send/phone-address';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { pageNotFound, sentenceOfRefusal } from '../ui/frame/error-page';
import { Card, Notice, PageHead } from '../ui/parts';
import { conversationHref, listIn, messageHref } from '../chat/thread';
import { ComposeForm } from './compose-form';
import {
  fileOf,
  isNumber,
  kindOf,
  messageBody,
  noNumber,
  type MediaType,
  type Uploaded,
} from './message-body';
import { cannotSend } from '../ui/words/line-health';
import { SentAs } from '../send/sent';
import { sendableTemplates, templateKey } from '../send/template-form';
import { windowEnd, WindowState } from '../send/window-state';
import { useRequest } from '../ui/page-request';

/** Largest form in bytes, including the file. */
const FILE_MOST = 16 * 1024 * 1024;

/** Writes a message and sends it through a line, as the API does. */
export const composePages: PanelRoute[] = [
  pageRoute('messages.send', '/lines/:id/send', showForm),
  actionRoute('messages.send', '/lines/:id/send', takeForm, { limit: FILE_MOST }),
];

function lineAt({ deps, params }: UserContext): Line {
  const line = /^\d{1,9}$/.test(params.id ?? '') ? deps.lines.byId(Number(params.id)) : undefined;
  if (!line) throw pageNotFound();
  return line;
}

async function showForm(context: UserContext): Promise<PanelResponse> {
  const { query } = context;
  const line = lineAt(context);
  const given = (name: string) => (query.get(name) ?? '').slice(0, 1000);
  const state = new FormState({
    to: given('to') || (await lastToWrite(context, line)),
    kind: given('kind') || (given('template') && 'template') || 'text',
    template: given('template'),
    text: given('text'),
    ...(query.has('from') && { from: given('from') }),
    ...(query.has('group') && { group: 'yes' }),
    list_label: t('Choose'),
    json: JSON.stringify(EXAMPLE, null, 2),
    once: randomText(),
  });
  return formPage(context, line, state);
}

/**
 * The sandbox contact who last wrote to the line. Empty on the real platform, where a mistake would reach a
 * person.
 */
async function lastToWrite({ deps }: UserContext, line: Line): Promise<string> {
  if (deps.sandboxUrl === null) return '';
  const { rows } = await deps.store.eventList.page({ lineId: line.id, subjects: ['message'] }, null, 1);
  return rows[0]?.contact ?? '';
}

/** An example of a message that has no fields in this form. */
const EXAMPLE = {
  type: 'interactive',
  interactive: {
    type: 'location_request_message',
    body: { text: 'Where shall we deliver?' },
    action: { name: 'send_location' },
  },
};

async function formPage(
  context: UserContext,
  line: Line,
  state: FormState,
  refused: Refusal | null = null,
): Promise<PanelResponse> {
  const templates = await sendableTemplates(context.deps.store, line.id);
  const obstacle = await cannotSend(context, line);
  return page(
    <PageHead title={t('Send a message')} back={backOf(line, state)}>
      {t.rich(
        'The message is sent through <strong>{line}</strong>. The next page shows how n8n or your own code sends the same message.',
        { line: line.name },
      )}
    </PageHead>,
    <>
      {refused ? <Refused line={line} to={state.text('to')} refused={refused} /> : obstacle}
      <Card>
        <ComposeForm
          line={line}
          state={state}
          templates={templates}
          chosen={chosenOf(templates, state)}
          standing={
            state.issueOf('to') || state.has('group')
              ? null
              : await standingOf(context, line, state.text('to'))
          }
        />
      </Card>
    </>,
    refused ? { status: 422 } : state,
  );
}

/** The page to return to: the conversation if the form was opened from one, or else the line. */
function backOf({ id, name }: Line, state: FormState): { href: string; label: string } {
  const to = state.text('to');
  const list = listIn(state.text('from'));
  return list && (state.has('group') || isNumber(to))
    ? { href: `${conversationHref(id, to, list)}#latest`, label: contactText(to) }
    : { href: `/panel/lines/${id}`, label: name };
}

/** The state of the contact's 24-hour window; null if no contact is entered. */
async function standingOf(context: UserContext, line: Line, to: string): Promise<ComponentChildren> {
  if (!to) return null;
  if (!isNumber(to)) return noNumber();
  return <WindowState end={await windowEnd(context, line, to)} />;
}

const chosenOf = (templates: TemplateRecord[], state: FormState): TemplateRecord | null =>
  templates.find((one) => templateKey(one) === state.text('template')) ?? templates[0] ?? null;

/** Why the message was refused, and what to do. */
function Refused({ line, to, refused }: { line: Line; to: string; refused: Refusal }): VNode {
  const { deps } = useRequest();
  const isOutside = refused.errorCode === 'outside_24h_window';
  const contact = normalizedRecipient(to);
  return (
    <Notice tone="bad">
      <p>
        <strong>{t('Not sent.')}</strong> {sentenceOfRefusal(refused)}
      </p>
      {isOutside && deps.sandboxUrl !== null && isContact(contact) && (
        <p>
          {t.rich(
            '<link>Write something from this contact’s sandbox phone</link> first, or send a template.',
            {
              link: (parts) => <a href={phoneAddress(line, contact)}>{parts}</a>,
            },
          )}
        </p>
      )}
    </Notice>
  );
}

async function takeForm(context: UserContext): Promise<PanelResponse> {
  const line = lineAt(context);
  const state = new FormState(context.form);
  if (state.text('do') === 'preview') return formPage(context, line, state);
  try {
    return await send(context, line, state);
  } catch (error) {
    const refused = error instanceof Refusal ? error : refusalOfFailure(error);
    if (!refused) throw error;
    return formPage(context, line, state, refused);
  }
}

async function send(context: UserContext, line: Line, state: FormState): Promise<PanelResponse> {
  const { deps } = context;
  const template =
    kindOf(state) === 'template'
      ? chosenOf(await sendableTemplates(context.deps.store, line.id), state)
      : null;
  const file = fileOf(state);
  // Finds missing values before the file is uploaded.
  messageBody(state, { template, uploaded: file && { type: 'document', id: '', filename: file.name } });
  if (!state.isValid) return formPage(context, line, state);
  const uploaded = file && (await upload(context, line, file));
  const body = messageBody(state, { template, uploaded });
  if (!state.isValid) return formPage(context, line, state);
  // Without the recipient, because a contact must be forgettable and audit entries cannot be changed. Before
  // the send, so that no message is sent without an entry.
  await context.audited(
    {
      action: 'message.composed',
      lineId: line.id,
      details: { type: kindOf(state), ...(template && { template: template.name }) },
    },
    async () => undefined,
  );
  const { answer, isReplayed } = await sendMessage(
    deps,
    ownSend(line, 'operator', body, keyOf(context.form)),
  );
  const { chat_message_id: wamid } = answer as SendAnswer;
  const message = body as MessageRequest;
  if (!isReplayed) await noteAnswer(context, line, message);
  const from = state.text('from');
  const list = listIn(from);
  if (list)
    return seeOther(
      `${conversationHref(line.id, state.text('to'), list)}#latest`,
      // No notice for a new message: its bubble shows the status.
      isReplayed ? t('This form was already submitted. No message was sent again.') : null,
      'idle',
    );
  const to = recipientOf(message);
  if (deps.sandboxUrl !== null && isContact(to) && !isReplayed)
    return seeOther(
      `${phoneAddress(line, to)}?${new URLSearchParams({ sent: wamid, ...(from !== 'phone' && { from: 'send' }) })}`,
    );
  return showSent(line, { body: { ...body, to }, wamid, isReplayed });
}

/** A failure is only logged, because the message has been sent. */
async function noteAnswer({ deps }: UserContext, line: Line, message: MessageRequest): Promise<void> {
  if (isToGroup(message)) return;
  await pauseByAnswer(deps, line, [recipientOf(message)]).catch((error: unknown) =>
    deps.log.error({ error, line: line.id }, 'automation not paused for a contact who was answered'),
  );
}

/** An idempotency key: submitting the same form twice, as by a reload, sends one message. */
function keyOf(form: FormData): string {
  const said = [...form].map(([name, value]) => [
    name,
    typeof value === 'string' ? value : `${value.name} ${value.size}`,
  ]);
  return `panel-${hash('sha256', JSON.stringify(said))}`;
}

async function upload({ deps }: UserContext, line: Line, file: File): Promise<Uploaded> {
  const { phoneNumberId, accessToken } = line;
  const judged = await validateUpload(partsOf(file), file.size);
  const type = (kindOfFile(judged.type.split(';')[0] ?? '') ?? 'document') as MediaType;
  const { id } = await deps.cloudApi.uploadMedia({ phoneNumberId, accessToken: accessToken ?? '' }, judged);
  return { type, id, filename: file.name };
}

async function* partsOf(file: File): AsyncGenerator<FormPart> {
  const content = (async function* () {
    yield Buffer.from(await file.arrayBuffer());
  })();
  yield { kind: 'file', name: 'file', filename: file.name, type: file.type, content };
}

interface Sent {
  body: Json;
  wamid: string;
  /** Whether the same form was submitted before. */
  isReplayed: boolean;
}

function showSent(line: Line, { body, wamid, isReplayed }: Sent): PanelResponse {
  const to = String(body.to);
  return page(
    <PageHead
      title={t('The message is sent')}
      back={{ href: `/panel/lines/${line.id}`, label: line.name }}
    />,
    <>
      <Notice tone={isReplayed ? 'info' : 'good'}>
        <p>
          {isReplayed ? (
            <strong>{t('This form was already submitted. No message was sent again.')}</strong>
          ) : (
            <strong>{t('The platform has accepted it.')}</strong>
          )}{' '}
          {t.rich('<link>View its status</link> on the way to {to}.', {
            to,
            link: (parts) => <a href={messageHref({ line_id: line.id, wamid })}>{parts}</a>,
          })}
        </p>
      </Notice>
      <Card title={t('Send the same from a program')}>
        <SentAs line={line} body={body} />
      </Card>
      <p>
        <a class="button plain" href={`/panel/lines/${line.id}/send?${new URLSearchParams({ to })}`}>
          {t('Send another message')}
        </a>
      </p>
    </>,
  );
}
