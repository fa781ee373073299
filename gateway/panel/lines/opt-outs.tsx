import { type VNode } from 'preact';
import { normalizedRecipient } from '../../cloud-api/validate/message-request';
import { lineOf } from '../../lines/line';
import { USUAL_WORDS } from '../../messages/opt-out-words';
import { setOptOut, setOptOutWords } from '../../messages/opt-outs';
import { type LineRow } from '../../store/tables/lines';
import { type OptOutRow } from '../../store/tables/opt-outs';
import { type OptOutWords } from '../../store/schema';
import { FormState } from '../form-state';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { ActionButton, Confirm, Form, LongField, Submit, TextField } from '../ui/form';
import { Badge, Card, Empty, Table, Time } from '../ui/parts';
import { LineHead, lineOfRoute } from '../ui/frame/line-head';
import { t } from '../languages/t';
import { contactText } from '../ui/contact';
import { useRequest } from '../ui/page-request';

/** Contacts who opted out of a line, and the words to opt out or in. */
export const optOutPages: PanelRoute[] = [
  pageRoute('messages.read', '/lines/:id/opt-outs', async (context) =>
    showList(context, await lineOfRoute(context)),
  ),
  actionRoute('messages.send', '/lines/:id/opt-outs', add),
  actionRoute('messages.send', '/lines/:id/opt-outs/remove', remove),
  actionRoute('lines.manage', '/lines/:id/opt-outs/words', saveWords),
];

const A_PAGE = 100;

const pathOf = ({ id }: LineRow): string => `/panel/lines/${id}/opt-outs`;

async function showList(
  context: UserContext,
  line: LineRow,
  given: { words?: FormState; contact?: FormState } = {},
): Promise<PanelResponse> {
  const { store, vault } = context.deps;
  const words = lineOf(line, vault).optOutWords ?? { out: [], back: [] };
  const [rows, count] = await Promise.all([
    store.optOuts.page(line.id, context.query.get('after') ?? '', A_PAGE),
    store.optOuts.countOf(line.id),
  ]);
  await context.looked(
    'opt-outs',
    rows.map(({ contact }) => ({ line_id: line.id, contact })),
  );
  const contact = given.contact ?? new FormState();
  const typed = given.words ?? new FormState({ out: words.out.join(', '), back: words.back.join(', ') });
  return page(
    <LineHead title={t('Opt-outs of {name}', { name: line.name })} line={line} here="optOuts">
      {t.rich(
        'Contacts on this list receive nothing more from this line, except login codes (authentication templates). Other messages to them are refused with <code>contact_opted_out</code>.',
      )}
    </LineHead>,
    <>
      <Card flush title={t('{count, plural, one {# contact} other {# contacts}}', { count })}>
        <List line={line} rows={rows} />
      </Card>
      {context.may('messages.send', line.id) && (
        <Card title={t('Add a contact')}>
          <Form action={pathOf(line)} class="form wide" state={contact}>
            <div class="with-button">
              <TextField
                state={contact}
                name="contact"
                label={t('Phone number')}
                inputmode="tel"
                placeholder="+55 11 98765-4321"
                maxLength={140}
                hint={t('With country code. For a contact who asked in another way, for example by phone.')}
              />
              <Submit>{t('Add to opt-outs')}</Submit>
            </div>
          </Form>
        </Card>
      )}
      <Card title={t('Words')} actions={<Listening words={words} />}>
        <Words line={line} words={words} state={typed} />
      </Card>
    </>,
    typed.isValid ? contact : typed,
  );
}

const Listening = ({ words }: { words: OptOutWords }): VNode =>
  words.out.length ? (
    <Badge tone="good">{t.of('words', 'On')}</Badge>
  ) : (
    <Badge tone="idle">{t.of('words', 'Off')}</Badge>
  );

interface WordsProps {
  line: LineRow;
  words: OptOutWords;
  state: FormState;
}

function Words({ line, words, state }: WordsProps): VNode {
  const { may } = useRequest();
  const action = `${pathOf(line)}/words`;
  if (!may('lines.manage', line.id))
    return (
      <p>
        {words.out.length
          ? t('Opt out: {out}. Opt back in: {back}.', {
              out: words.out.join(', '),
              back: words.back.join(', ') || t.of('word', 'none'),
            })
          : t('None: contacts cannot opt out by message.')}
      </p>
    );
  return (
    <div class="stack">
      <p>
        {t(
          'A contact opts out or back in by sending one of these words or tapping a button with that name. The message must contain only that word. Capitals, accents and punctuation are ignored.',
        )}
      </p>
      <Form action={action} class="form wide" state={state}>
        <div class="columns">
          <LongField
            state={state}
            name="out"
            label={t('Words to opt out')}
            rows={4}
            hint={t(
              'Separated by commas. If empty, contacts cannot opt out by message. The usual words are in English, Portuguese and Spanish.',
            )}
          />
          <LongField state={state} name="back" label={t('Words to opt back in')} rows={4} />
        </div>
        <div class="actions">
          <Submit>{t('Save the words')}</Submit>
        </div>
      </Form>
      <ActionButton action={action} fields={{ usual: 'yes' }} tone="plain">
        {t('Use the usual words')}
      </ActionButton>
    </div>
  );
}

function List({ line, rows }: { line: LineRow; rows: OptOutRow[] }): VNode {
  const { may } = useRequest();
  if (!rows.length)
    return (
      <Empty title={t('No opt-outs yet')}>
        <p>{t('Contacts are added by the words below, or by hand.')}</p>
      </Empty>
    );
  const last = rows.length === A_PAGE ? rows.at(-1) : undefined;
  return (
    <>
      <Table
        caption={t('Opted out')}
        rows={rows}
        rowKey={({ contact }) => contact}
        columns={[
          {
            label: t('Contact'),
            heading: true,
            cell: ({ contact }) => <span class="number">{contactText(contact)}</span>,
          },
          { label: t('Since'), cell: ({ at }) => <Time at={at} to="minute" /> },
          {
            label: t('Word'),
            cell: ({ word }) =>
              word === null ? <span class="quiet">{t('added by hand')}</span> : <>“{word}”</>,
          },
          {
            label: t('Actions'),
            actions: true,
            cell: ({ contact }) =>
              may('messages.send', line.id) && (
                <Confirm
                  id={`remove-${contact.replace(/\W/g, '-')}`}
                  action={`${pathOf(line)}/remove`}
                  button={t('Remove')}
                  title={t('Remove {contact} from the list?', { contact: contactText(contact) })}
                  confirm={t('Remove')}
                  fields={{ contact }}
                >
                  <p>
                    {t('Messages to this contact are sent again. Do this only if the contact asked for it.')}
                  </p>
                </Confirm>
              ),
          },
        ]}
      />
      {last && (
        <div class="actions">
          <a class="button plain" href={`${pathOf(line)}?after=${encodeURIComponent(last.contact)}`}>
            {t('Next {count}', { count: A_PAGE })}
          </a>
        </div>
      )}
    </>
  );
}

async function add(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const { deps, actor } = context;
  const typed = state.text('contact');
  const isNew = await state.given(() => setOptOut(deps, actor, lineOf(line, deps.vault), typed, 'out'));
  if (isNew === null) return showList(context, line, { contact: state });
  const contact = contactText(normalizedRecipient(typed));
  return seeOther(
    pathOf(line),
    isNew
      ? t('{contact} gets nothing more from this line.', { contact })
      : t('{contact} is on the list already.', { contact }),
  );
}

async function remove(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const contact = String(context.form.get('contact') ?? '');
  await setOptOut(context.deps, context.actor, lineOf(line, context.deps.vault), contact, 'back');
  return seeOther(pathOf(line), t('{contact} is off the list.', { contact: contactText(contact) }));
}

async function saveWords(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const given = state.has('usual') ? USUAL_WORDS : { out: state.text('out'), back: state.text('back') };
  const words = await state.given(() => setOptOutWords(context.deps, context.actor, line, given));
  if (!words) return showList(context, line, { words: state });
  return seeOther(
    pathOf(line),
    words.out.length
      ? t('The words are saved. Contacts can use them to opt out from now on.')
      : t('There are no words, so contacts cannot opt out by message. The list stays.'),
  );
}
