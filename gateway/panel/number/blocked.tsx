import { textOf } from '../../cloud-api/json/json-value';
import { contactBlocked } from '../../management/number';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { contactText } from '../ui/contact';
import { ActionButton, Form, Submit, TextField } from '../ui/form';
import { lineOfRoute } from '../ui/frame/line-head';
import { Card, Empty, Table } from '../ui/parts';
import { madeChange, numberAddress, numberPage, ReadFailure, readPart } from './number-head';

const MOST = 100;

export async function showBlocked(context: UserContext, typed?: FormState): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const { entries, failure } = await readPart(context, line, 'block_users', { limit: String(MOST) });
  const contacts = entries.map(({ wa_id: contact }) => textOf(contact));
  await context.looked(
    'blocked',
    contacts.map((contact) => ({ line_id: line.id, contact })),
  );
  const state = typed ?? new FormState();
  const action = numberAddress(line, '/blocked');
  return numberPage(
    line,
    '/blocked',
    <>
      {failure !== null && <ReadFailure failure={failure} />}
      <Card title={t('Block a contact')}>
        <Form action={action} class="form wide" state={state} fields={{ to: 'block' }}>
          <div class="with-button">
            <TextField
              name="contact"
              label={t('Phone number')}
              inputmode="tel"
              placeholder="+55 11 98765-4321"
              maxLength={140}
              hint={t(
                'With country code. WhatsApp blocks only contacts who wrote to this number in the last 24 hours.',
              )}
            />
            <Submit>{t('Block')}</Submit>
          </div>
        </Form>
      </Card>
      {failure === null && (
        <Card flush>
          {contacts.length ? (
            <Table
              caption={t('Blocked contacts')}
              rows={contacts}
              rowKey={(contact) => contact}
              columns={[
                {
                  label: t('Contact'),
                  heading: true,
                  cell: (contact) => <span class="number">{contactText(contact)}</span>,
                },
                {
                  label: t('Actions'),
                  actions: true,
                  cell: (contact) => (
                    <ActionButton action={action} fields={{ to: 'unblock', contact }} tone="plain">
                      {t('Unblock')}
                      <span class="sr-only"> {contactText(contact)}</span>
                    </ActionButton>
                  ),
                },
              ]}
            />
          ) : (
            <Empty title={t('No contact is blocked')}>
              <p>{t('A blocked contact can neither write to this number nor receive its messages.')}</p>
            </Empty>
          )}
        </Card>
      )}
      {contacts.length >= MOST && (
        <p class="quiet">{t('Only the first {count, number} are shown.', { count: MOST })}</p>
      )}
    </>,
    state,
  );
}

export async function changeBlocked(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const isBlocked = state.text('to') === 'block';
  const contact = state.required('contact', t("Enter the contact's number."));
  const isMade =
    state.isValid && (await madeChange(context, line, state, () => contactBlocked(contact, isBlocked)));
  if (!isMade) return showBlocked(context, state);
  return seeOther(
    numberAddress(line, '/blocked'),
    isBlocked ? t('The contact is blocked.') : t('The contact is no longer blocked.'),
  );
}
