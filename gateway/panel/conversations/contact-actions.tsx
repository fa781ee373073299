import { type VNode } from 'preact';
import { isRecipient } from '../../cloud-api/validate/message-request';
import { forgetContact, namesOf } from '../../lines/forget';
import { type Line } from '../../lines/line';
import { automationPauseOf, pauseAutomation, resumeAutomation } from '../../messages/automation-pauses';
import { isOptedOut, setOptOut } from '../../messages/opt-outs';
import { cancelQuestion as cancel, openQuestionsOf } from '../../questions/question';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { actionRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { conversationHref } from '../chat/thread';
import { contactText } from '../ui/contact';
import { ActionButton, Confirm } from '../ui/form';
import { pageNotFound } from '../ui/frame/error-page';
import { Notice, Time } from '../ui/parts';

const ONE = '/conversations/:line/:contact';

export const contactActionPages: PanelRoute[] = [
  actionRoute('messages.send', `${ONE}/opt-out`, (context) => setOptedOut(context, 'out')),
  actionRoute('messages.send', `${ONE}/opt-in`, (context) => setOptedOut(context, 'back')),
  actionRoute('messages.send', `${ONE}/pause`, pause),
  actionRoute('messages.send', `${ONE}/resume`, resume),
  actionRoute('messages.send', `${ONE}/questions/:question/cancel`, cancelQuestion),
  actionRoute('contacts.erase', `${ONE}/forget`, forget, {
    confirmed: () => t('To forget a contact'),
  }),
];

/** The actions for a contact, in the conversation's menu. */
export async function contactActions(
  { deps, may }: UserContext,
  line: Line,
  contact: string,
): Promise<VNode | null> {
  if (!may('messages.send', line.id) || !isRecipient(contact)) return null;
  const isOut = await isOptedOut(deps, line, contact);
  const isPaused = (await automationPauseOf(deps, line, contact)) !== null;
  const base = conversationHref(line.id, contact);
  const who = contactText(contact);
  return (
    <>
      {isPaused ? (
        <ActionButton action={`${base}/resume`} tone="plain">
          {t('Resume automation')}
        </ActionButton>
      ) : (
        <Confirm
          id="pause"
          action={`${base}/pause`}
          button={t('Pause automation')}
          title={t('Pause automation for {contact}?', { contact: who })}
          confirm={t('Pause automation')}
          formId="pause-form"
        >
          <p>
            {t(
              'Workflows that ignore paused contacts start no run for messages of this contact. You and your colleagues answer instead.',
            )}
          </p>
          <div class="field">
            <label for="pause-hours">{t('For how long')}</label>
            <select id="pause-hours" name="hours" form="pause-form">
              {PAUSES.map((hours) => (
                <option key={hours} value={hours}>
                  {pauseLength(hours)}
                </option>
              ))}
            </select>
          </div>
        </Confirm>
      )}
      {isOut ? (
        <Confirm
          id="opt-in"
          action={`${base}/opt-in`}
          button={t('Opt back in')}
          title={t('Remove {contact} from the list?', { contact: who })}
          confirm={t('Opt back in')}
        >
          <p>{t('Messages to this contact are sent again. Do this only if the contact asked for it.')}</p>
        </Confirm>
      ) : (
        <Confirm
          id="opt-out"
          action={`${base}/opt-out`}
          button={t('Opt out')}
          title={t('Opt {contact} out?', { contact: who })}
          confirm={t('Opt out')}
        >
          <p>
            {t(
              '{line} sends nothing more to any number or user ID of this contact, except login codes. You can undo this.',
              { line: line.name },
            )}
          </p>
        </Confirm>
      )}
      {may('contacts.erase', line.id) && (
        <Confirm
          id="forget"
          action={`${base}/forget`}
          button={t('Forget contact')}
          tone="danger"
          title={t('Forget {contact}?', { contact: who })}
          confirm={t('Forget contact')}
        >
          <p>
            {may('contacts.erase', null)
              ? t('This removes, on every line and for good:')
              : t('This removes, on every line that you manage and for good:')}
          </p>
          <ul>
            <li>{t('messages from and to this contact, with their texts')}</li>
            <li>{t('events of this contact that your receivers have not accepted yet')}</li>
            <li>{t('names, user IDs and all other data of this contact')}</li>
          </ul>
          <p>
            {t(
              'Counts stay, without the contact. Backups, exports, logs and the data of your receivers are not changed. An opt-out is deleted too, so messages to the contact are possible again.',
            )}
          </p>
        </Confirm>
      )}
    </>
  );
}

/** In hours; 0: until resumed. */
const PAUSES = [1, 8, 24, 168, 0];

const pauseLength = (hours: number): string => {
  if (hours === 0) return t('Until resumed');
  return hours < 48
    ? t('{count, plural, one {# hour} other {# hours}}', { count: hours })
    : t('{count, plural, one {# day} other {# days}}', { count: hours / 24 });
};

/** The open questions of a contact, with their expiry and a button to cancel. */
export async function questionBanners(
  { deps, may }: UserContext,
  line: Line,
  contact: string,
): Promise<VNode[]> {
  const questions = isRecipient(contact) ? await openQuestionsOf(deps, line.id, contact) : [];
  return questions.map(({ id, expiresAt }) => (
    <Notice key={id} tone="info">
      <div class="card-head">
        <p>{t.rich('Waiting for an answer until {when}', { when: <Time at={expiresAt} to="minute" /> })}</p>
        {may('messages.send', line.id) && (
          <ActionButton action={`${conversationHref(line.id, contact)}/questions/${id}/cancel`} tone="plain">
            {t('Cancel question')}
          </ActionButton>
        )}
      </div>
    </Notice>
  ));
}

/** Shows a paused automation, its end, and a button to resume. Null if the automation is not paused. */
export async function pauseBanner(
  { deps, may }: UserContext,
  line: Line,
  contact: string,
): Promise<VNode | null> {
  const pause = isRecipient(contact) ? await automationPauseOf(deps, line, contact) : null;
  if (!pause) return null;
  return (
    <Notice tone="info">
      <div class="card-head">
        <p>
          {pause.until === null
            ? t('Automation paused until you resume it')
            : t.rich('Automation paused until {when}', { when: <Time at={pause.until} to="minute" /> })}
        </p>
        {may('messages.send', line.id) && (
          <ActionButton action={`${conversationHref(line.id, contact)}/resume`} tone="plain">
            {t('Resume')}
          </ActionButton>
        )}
      </div>
    </Notice>
  );
}

async function pause(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, form } = context;
  const { line, contact } = at(context);
  const hours = new FormState(form).text('hours');
  await pauseAutomation(deps, actor, line, contact, hours === '0' ? {} : { hours });
  return seeOther(conversationHref(line.id, contact));
}

async function resume(context: UserContext): Promise<PanelResponse> {
  const { deps, actor } = context;
  const { line, contact } = at(context);
  await resumeAutomation(deps, actor, line, contact);
  return seeOther(conversationHref(line.id, contact), t('Automation resumed.'));
}

async function cancelQuestion(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, params } = context;
  const { line, contact } = at(context);
  const canceled = await cancel(deps, actor, line.id, params.question ?? '');
  return seeOther(conversationHref(line.id, contact), canceled ? t('Question canceled.') : null);
}

function at({ deps, params }: UserContext): { line: Line; contact: string } {
  const line = /^\d{1,9}$/.test(params.line ?? '') ? deps.lines.byId(Number(params.line)) : null;
  const contact = params.contact ?? '';
  if (!line || !isRecipient(contact)) throw pageNotFound();
  return { line, contact };
}

async function setOptedOut(context: UserContext, state: 'out' | 'back'): Promise<PanelResponse> {
  const { line, contact } = at(context);
  await setOptOut(context.deps, context.actor, line, contact, state);
  const who = contactText(contact);
  return seeOther(
    conversationHref(line.id, contact),
    state === 'out'
      ? t('{contact} gets nothing more from this line.', { contact: who })
      : t('{contact} is off the list.', { contact: who }),
  );
}

async function forget(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, log } = { ...context, log: context.deps.log };
  const { line, contact } = at(context);
  const removed = await forgetContact(
    deps,
    actor,
    context.session.grants,
    contact,
    await namesOf(deps, contact),
  );
  // SQLite's write-ahead log still contains the deleted rows.
  const isScrubbed = await deps.store.scrub('log').catch((error: unknown) => {
    log.error({ error }, 'a contact is forgotten, but the write-ahead log was not cleared');
    return false;
  });
  const done = t(
    'Contact forgotten: {messages, plural, one {# message} other {# messages}} and {events, plural, one {# event} other {# events}} removed.',
    { messages: removed.messages, events: removed.events },
  );
  const rest = [
    ...(isScrubbed ? [] : [t('The write-ahead log of the database may hold traces until tomorrow.')]),
    ...(removed.still_owed
      ? [
          t(
            '{count, plural, one {# event of another contact names this one and is} other {# events of other contacts name this one and are}} still to be delivered. Forget the contact again afterwards.',
            { count: removed.still_owed },
          ),
        ]
      : []),
  ];
  return seeOther(`/panel/conversations?line=${line.id}`, [done, ...rest].join(' '));
}
