import { entries, textOf, type Json } from '../../cloud-api/json/json-value';
import { chatStartChange, commandTexts, shopChange } from '../../management/number';
import { FormState } from '../form-state';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { CheckField, Form, LongField, Submit } from '../ui/form';
import { lineOfRoute } from '../ui/frame/line-head';
import { Card } from '../ui/parts';
import { madeChange, numberAddress, numberPage, ReadFailure, readPart } from './number-head';

const AUTOMATION = 'conversational_automation';
const SHOP = 'whatsapp_commerce_settings';

/** The texts of a field with one text in each line. */
const linesIn = (state: FormState, name: string): string[] =>
  state
    .text(name)
    .split('\n')
    .map((one) => one.trim())
    .filter(Boolean);

/** The fields of the forms. A missing check box means off. */
const fieldsOf = (automation: Json, shop: Json): Record<string, string> => ({
  prompts: entries(automation.prompts).map(textOf).join('\n'),
  commands: commandTexts(automation.commands).join('\n'),
  ...(automation.enable_welcome_message === true && { welcome: 'yes' }),
  ...(shop.is_cart_enabled === true && { cart: 'yes' }),
  ...(shop.is_catalog_visible === true && { catalog: 'yes' }),
});

export async function showChatStart(context: UserContext, typed?: FormState): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const [automation, shop] = await Promise.all([
    readPart(context, line, AUTOMATION),
    readPart(context, line, SHOP),
  ]);
  const stored = new FormState(fieldsOf(automation.entries[0] ?? {}, shop.entries[0] ?? {}));
  const isShop = typed?.text('to') === 'shop';
  const failure = automation.failure ?? shop.failure;
  const action = numberAddress(line, '/chat-start');
  return numberPage(
    line,
    '/chat-start',
    <>
      {failure !== null && <ReadFailure failure={failure} />}
      {(automation.failure === null || typed) && (
        <Card title={t('What contacts see before they write')}>
          <Form action={action} state={typed && !isShop ? typed : stored} fields={{ to: 'automation' }}>
            <LongField
              name="prompts"
              label={t('Questions to tap')}
              hint={t('One in each line, up to 4, each up to 80 characters. A contact sends one with a tap.')}
              placeholder={t('Where is my order?')}
              optional
            />
            <LongField
              name="commands"
              label={t('Commands')}
              hint={t('One in each line, up to 30. WhatsApp shows them when a contact types “/”.')}
              placeholder={t('menu: See the menu')}
              optional
            />
            <CheckField
              name="welcome"
              label={t('Tell me when a contact opens the chat for the first time')}
              hint={t('Your destinations receive a message of the type request_welcome, and can answer it.')}
            />
            <Submit>{t('Save the chat start')}</Submit>
          </Form>
        </Card>
      )}
      {(shop.failure === null || isShop) && (
        <Card title={t('Shop')}>
          <Form action={action} state={typed && isShop ? typed : stored} fields={{ to: 'shop' }}>
            <CheckField name="catalog" label={t('Show the catalogue in the chat')} />
            <CheckField name="cart" label={t('Let contacts fill a cart')} />
            <Submit>{t('Save the shop')}</Submit>
          </Form>
        </Card>
      )}
    </>,
    typed,
  );
}

export async function saveChatStart(context: UserContext): Promise<PanelResponse> {
  const line = await lineOfRoute(context);
  const state = new FormState(context.form);
  const isShop = state.text('to') === 'shop';
  const isMade = await madeChange(context, line, state, () =>
    isShop
      ? shopChange({ is_cart_enabled: state.has('cart'), is_catalog_visible: state.has('catalog') })
      : chatStartChange({
          welcome: state.has('welcome'),
          prompts: linesIn(state, 'prompts'),
          commands: linesIn(state, 'commands'),
        }),
  );
  if (!isMade) return showChatStart(context, state);
  return seeOther(
    numberAddress(line, '/chat-start'),
    isShop ? t('The shop is saved.') : t('The chat start is saved.'),
  );
}
