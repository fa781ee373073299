import { type VNode } from 'preact';
import { cardInForce, OTHERS } from '../../usage/prices';
import { type Difference } from '../../usage/rate-cards/differences';
import {
  importRateCard,
  previewRateCard,
  removeRateCard,
  type RateCardPreview,
} from '../../usage/rate-cards/manage-rate-cards';
import { LONGEST_CARD, type RateCardInput } from '../../usage/rate-cards/rate-card-input';
import { type RateCardHead } from '../../store/tables/rate-cards';
import { type CustomerRow } from '../../store/tables/customers';
import { FormState } from '../form-state';
import { money } from '../languages/numbers';
import { Said } from '../languages/said';
import { t } from '../languages/t';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { pageNotFound } from '../ui/frame/error-page';
import { Confirm, FileField, Form, LongField, SelectField, SubmitOrCancel, TextField } from '../ui/form';
import { Badge, Card, dateWord, Empty, Notice, PageHead, Table } from '../ui/parts';
import { categoryWord } from '../ui/words/kind-words';
import { today } from './filter';
import { countryWord } from './value-words';

const LIST = '/panel/rate-cards';

/** A form with a card arrives in UTF-8, in which a character has up to three bytes, each written as three. */
const LIMIT = LONGEST_CARD * 9;

/** The prices with which usage is estimated. */
export const rateCardPages: PanelRoute[] = [
  pageRoute('gateway', '/rate-cards', showCards),
  pageRoute('gateway', '/rate-cards/new', (context) => askCard(context, new FormState())),
  actionRoute('gateway', '/rate-cards/preview', preview, { limit: LIMIT }),
  actionRoute('gateway', '/rate-cards', add, {
    limit: LIMIT,
    confirmed: () => t('To import a rate card'),
  }),
  actionRoute('gateway', '/rate-cards/:id/remove', remove, {
    confirmed: () => t('To remove a rate card'),
  }),
];

const back = () => ({ href: LIST, label: t('Rate cards') });

const importLink = (): VNode => (
  <a class="button primary" href={`${LIST}/new`}>
    {t('Import a rate card')}
  </a>
);

async function showCards({ deps }: UserContext): Promise<PanelResponse> {
  const { store } = deps;
  const [cards, customers] = await Promise.all([store.rateCards.all(), store.customers.all()]);
  const day = today(deps);
  return page(
    <PageHead
      title={t('Rate cards')}
      back={{ href: '/panel/usage', label: t('Usage') }}
      actions={cards.length > 0 && importLink()}
    >
      {t(
        'Prices of messages. The gateway estimates the cost of usage with them, and compares the estimates with budgets.',
      )}
    </PageHead>,
    <Card flush>
      {cards.length ? (
        <Table
          caption={t('Rate cards')}
          rows={cards}
          rowKey={({ id }) => id}
          columns={[
            { label: t('Name'), heading: true, cell: ({ name }) => name },
            { label: t.of('rate card', 'Applies from'), cell: (card) => dateWord(card.effective_from) },
            { label: t('Currency'), cell: ({ currency }) => currency },
            ...(customers.length
              ? [{ label: t('Customer'), cell: (card: RateCardHead) => ownerWord(card, customers) }]
              : []),
            { label: t('State'), cell: (card) => <State of={card} cards={cards} day={day} /> },
            { label: t('Remove'), actions: true, cell: (card) => <Removal of={card} /> },
          ]}
        />
      ) : (
        <Empty title={t('There is no rate card yet')}>
          <p>
            {t(
              'Download the rate card in your currency from WhatsApp’s page about pricing, as a CSV file, and import it here. You can change its prices first, for example to add your margin.',
            )}
          </p>
          {importLink()}
        </Empty>
      )}
    </Card>,
  );
}

const ownerWord = ({ customer_id: id }: RateCardHead, customers: CustomerRow[]): string =>
  id === null ? t('All customers') : (customers.find((one) => one.id === id)?.name ?? '');

function State({ of: card, cards, day }: { of: RateCardHead; cards: RateCardHead[]; day: string }): VNode {
  if (card.effective_from > day) return <Badge tone="idle">{t.of('rate card', 'Later')}</Badge>;
  return cardInForce(cards, card.customer_id, day)?.id === card.id ? (
    <Badge tone="good">{t.of('rate card', 'In force')}</Badge>
  ) : (
    <Badge tone="idle">{t.of('rate card', 'Replaced')}</Badge>
  );
}

const Removal = ({ of: { id, name } }: { of: RateCardHead }): VNode => (
  <Confirm
    id={`remove-${id}`}
    action={`${LIST}/${id}/remove`}
    button={t('Remove')}
    isQuiet
    tone="danger"
    title={t('Remove {name}?', { name })}
    confirm={t('Remove')}
  >
    <p>{t('Its days then have the prices of the card before it. Estimates of these days change.')}</p>
  </Confirm>
);

async function askCard({ deps }: UserContext, state: FormState, faults?: VNode): Promise<PanelResponse> {
  const customers = await deps.store.customers.all();
  return page(
    <PageHead title={t('Import a rate card')} back={back()}>
      {t('You see what changes before anything is stored.')}
    </PageHead>,
    <>
      {faults}
      <Card>
        <Form action={`${LIST}/preview`} state={state} files>
          <TextField
            name="name"
            label={t('Name')}
            maxLength={80}
            hint={t('A name for your team, for example: October 2026, USD.')}
          />
          <TextField
            name="effective_from"
            label={t('First day')}
            type="date"
            hint={t('The card applies from this day on, until a later card.')}
          />
          {customers.length > 0 && (
            <SelectField
              name="customer"
              label={t('Customer')}
              hint={t('A card of a customer replaces the card for all.')}
              choices={[
                { value: '', label: t('All customers') },
                ...customers.map(({ id, name }) => ({ value: String(id), label: name })),
              ]}
            />
          )}
          <FileField name="file" label={t('CSV file')} accept=".csv,text/csv" optional />
          <LongField
            name="csv"
            label={t('Or paste its lines')}
            hint={t(
              'With the header Market, Currency and a column for each category, as WhatsApp publishes it. Markets may also be ISO country codes.',
            )}
            rows={8}
          />
          <SubmitOrCancel submit={t('Preview')} back={LIST} />
        </Form>
      </Card>
    </>,
    state,
  );
}

const typedCard = (state: FormState): RateCardInput => ({
  name: state.text('name'),
  effectiveFrom: state.text('effective_from'),
  customerId: Number(state.text('customer')) || null,
  csv: state.text('csv'),
});

/** The form with the text of its file, so that the next form has it too. */
async function stateOf(form: FormData): Promise<FormState> {
  const file = new FormState(form).file('file');
  if (file) form.set('csv', await file.text());
  const state = new FormState(form);
  if (!state.text('csv')) state.addIssue('csv', t('Choose a file, or paste its lines.'));
  return state;
}

async function preview(context: UserContext): Promise<PanelResponse> {
  const state = await stateOf(context.form);
  const given = typedCard(state);
  const found = state.isValid ? await state.given(() => previewRateCard(context.deps, given)) : null;
  if (!found) return askCard(context, state);
  if (found.faults.length) return askCard(context, state, <Faults of={found} />);
  return page(
    <PageHead title={t('Import {name}?', { name: given.name })} back={back()}>
      {t('It applies from {day} on, in {currency}.', {
        day: dateWord(given.effectiveFrom),
        currency: found.currency,
      })}{' '}
      <Replaced by={found} />
    </PageHead>,
    <>
      <Card title={t('What changes')} flush>
        <Differences of={found} />
      </Card>
      <Form
        action={LIST}
        fields={{
          ...{ name: given.name, effective_from: given.effectiveFrom, csv: given.csv },
          customer: state.text('customer'),
        }}
      >
        <SubmitOrCancel submit={t('Import')} back={LIST} />
      </Form>
    </>,
  );
}

const Faults = ({ of: { faults } }: { of: RateCardPreview }): VNode => (
  <Notice tone="bad">
    <p>
      <strong>{t('Nothing was imported. Correct these lines first.')}</strong>
    </p>
    <ul>
      {faults.map(({ line, fault }) => (
        <li key={line}>
          <Said>{{ word: 'rate_card.line', values: { line, because: fault } }}</Said>
        </li>
      ))}
    </ul>
  </Notice>
);

function Replaced({ by: { replaces, currency } }: { by: RateCardPreview }): VNode {
  if (!replaces) return <>{t('It replaces no other card.')}</>;
  const { name, currency: other } = replaces;
  return (
    <>
      {t('It replaces {name}.', { name })}{' '}
      {other !== currency &&
        t('That card is in {currency}, so their prices are not compared.', { currency: other })}
    </>
  );
}

function Differences({ of: { differences, currency } }: { of: RateCardPreview }): VNode {
  if (!differences.length)
    return (
      <Empty title={t('No price changes')}>
        <p>{t('The card has the same prices as the card that it replaces.')}</p>
      </Empty>
    );
  const price = (micros: number | null) => (micros === null ? t('no price') : money(micros, currency));
  return (
    <Table
      caption={t('What changes')}
      rows={differences}
      rowKey={({ market, category, before }) => `${market} ${category} ${before}`}
      columns={[
        { label: t.of('rate card', 'Market'), heading: true, cell: (one) => <MarketName of={one} /> },
        { label: t('Category'), cell: ({ category }) => categoryWord(category) },
        { label: t.of('price', 'Before'), cell: ({ before }) => price(before) },
        { label: t.of('price', 'After'), cell: ({ after }) => price(after) },
        { label: t.of('price', 'Change'), cell: ({ change }) => <Change of={change} /> },
      ]}
    />
  );
}

function MarketName({ of: { market, countries } }: { of: Difference }): VNode {
  const [first = ''] = countries;
  if (first === OTHERS) return <>{t('All other countries')}</>;
  if (countries.length === 1) return <>{countryWord(first)}</>;
  return (
    <>
      {t('{market} ({count, plural, one {# country} other {# countries}})', {
        market,
        count: countries.length,
      })}
    </>
  );
}

const Change = ({ of }: { of: Difference['change'] }): VNode =>
  ({
    added: <Badge tone="info">{t.of('price', 'New')}</Badge>,
    removed: <Badge tone="warn">{t.of('price', 'No price')}</Badge>,
    dearer: <Badge tone="warn">{t.of('price', 'Higher')}</Badge>,
    cheaper: <Badge tone="good">{t.of('price', 'Lower')}</Badge>,
  })[of];

async function add(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, session } = context;
  const state = await stateOf(context.form);
  const card = state.isValid
    ? await state.given(() => importRateCard(deps, actor, session.grants, typedCard(state)))
    : null;
  return card ? seeOther(LIST, t('{name} is imported.', { name: card.name })) : askCard(context, state);
}

async function remove({ deps, actor, session, params }: UserContext): Promise<PanelResponse> {
  const id = /^\d{1,9}$/.test(params.id ?? '') ? Number(params.id) : 0;
  if (!(await deps.store.rateCards.find(id))) throw pageNotFound();
  const { name } = await removeRateCard(deps, actor, session.grants, id);
  return seeOther(LIST, t('{name} is removed.', { name }));
}
