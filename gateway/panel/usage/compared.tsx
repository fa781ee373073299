import { type VNode } from 'preact';
import { unreadFact } from '../../lines/checks/judge';
import { storedChecks } from '../../lines/checks/line-checks';
import { type LineRow } from '../../store/tables/lines';
import { compareUsage, type ComparedReason, type ComparedRow, type ComparedUsage } from '../../usage/compare';
import { say } from '../../wording/say';
import { number, percent } from '../languages/numbers';
import { Said } from '../languages/said';
import { t } from '../languages/t';
import { page, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { Badge, Card, dateWord, Empty, Nothing, Notice, PageHead, Table, Time } from '../ui/parts';
import { placeOf, Places } from '../ui/places';
import { categoryWord } from '../ui/words/kind-words';
import { valueWord } from './value-words';

const PAGE = 50;
/** Countries that a row names at most. */
const MOST_COUNTRIES = 3;
/** Lines that a notice names at most. */
const MOST_LINES = 5;

/** The gateway's counts beside those of the platform. */
export async function showCompared(context: UserContext): Promise<PanelResponse> {
  const { store, clock } = context.within('usage.read', false);
  const [compared, lines] = await Promise.all([compareUsage({ store, clock }), store.lines.all()]);
  return page(
    <PageHead title={t('Compared with WhatsApp')} back={{ href: '/panel/usage', label: t('Usage') }}>
      {t('Delivered messages: how many the gateway counted, and how many WhatsApp counted.')}
    </PageHead>,
    <>
      <Unread lines={lines} />
      {compared.rows.length ? (
        <Compared compared={compared} lines={lines} from={placeOf(context.query)} />
      ) : (
        <Card flush>
          <Empty title={t('Nothing to compare yet')}>
            <p>
              {t(
                'The gateway reads the counts of WhatsApp once a day. They are compared two days later, when they are final.',
              )}
            </p>
          </Empty>
        </Card>
      )}
    </>,
  );
}

/** Why the counts of some lines cannot be read, once for each reason. */
function Unread({ lines }: { lines: LineRow[] }): VNode {
  const unread = lines.flatMap((line) => {
    const usage = storedChecks(line)?.usage;
    return usage && 'unread' in usage ? [{ line, fact: unreadFact(usage.unread) }] : [];
  });
  return (
    <>
      {[...Map.groupBy(unread, ({ fact }) => say('en', fact)).entries()].map(([key, some]) => (
        <Notice key={key} tone="warn">
          <p>
            <strong>{namesOf(some.map(({ line }) => line.name))}</strong>
            {': '}
            {some[0] && <Said>{some[0].fact}</Said>}
          </p>
        </Notice>
      ))}
    </>
  );
}

const namesOf = (names: string[]): string =>
  names.length > MOST_LINES
    ? t('{names} and {count, number} more', {
        names: names.slice(0, MOST_LINES).join(', '),
        count: names.length - MOST_LINES,
      })
    : names.join(', ');

interface ComparedProps {
  compared: ComparedUsage;
  lines: LineRow[];
  from: number;
}

function Compared({ compared: { rows, days, readAt }, lines, from }: ComparedProps): VNode {
  const shown = rows.slice(from, from + PAGE);
  const count = (label: string, valueOf: (row: ComparedRow) => number) => ({
    label,
    cell: (row: ComparedRow) => <span class="number">{number(valueOf(row))}</span>,
  });
  return (
    <>
      <Card flush title={t('Delivered messages')}>
        <Table
          caption={t('Compared with WhatsApp')}
          brief="labelled figures"
          rows={shown}
          rowKey={({ lineId, category, type }) => `${lineId} ${category} ${type}`}
          columns={[
            {
              label: t('Messages'),
              heading: true,
              cell: ({ lineId, category, type }) => (
                <span class="stack close">
                  <span>{valueWord('line', String(lineId), { lines, customers: [] })}</span>
                  <span class="quiet small">
                    {[category ? categoryWord(category) : t('No category reported'), typeWord(type)]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </span>
              ),
            },
            count(t('Gateway'), ({ ours }) => ours),
            count('WhatsApp', ({ theirs }) => theirs),
            { label: t('Difference'), cell: (row) => <Difference of={row} /> },
            { label: t('Likely reason'), cell: (row) => <Reason of={row} /> },
          ]}
        />
        <Places
          from={from}
          shown={shown.length}
          all={rows.length}
          page={PAGE}
          hrefOf={(place) => `/panel/usage/compared?from=${place}`}
        />
      </Card>
      <div class="stack close quiet small">
        {days && readAt !== null && (
          <p>
            {t.rich(
              "Messages from {from} to {to}, in each line's time zone. WhatsApp's counts were last read {when}. Counts of the two days before are not final, so they are left out.",
              { from: dateWord(days.from), to: dateWord(days.to), when: <Time at={readAt} /> },
            )}
          </p>
        )}
        <p>{t('Differences of more than 1 %, or of 10 messages and more, are marked.')}</p>
      </div>
    </>
  );
}

const signed = (difference: number): string => `${difference > 0 ? '+' : '−'}${number(Math.abs(difference))}`;

function Difference({ of: { ours, theirs, isFlagged } }: { of: ComparedRow }): VNode {
  const difference = theirs - ours;
  if (!difference) return <Nothing>{number(0)}</Nothing>;
  const words = `${signed(difference)} (${percent(Math.abs(difference) / Math.max(ours, theirs))})`;
  return isFlagged ? <Badge tone="warn">{words}</Badge> : <span class="number">{words}</span>;
}

function Reason({ of: { reason, countries } }: { of: ComparedRow }): VNode {
  if (reason === null) return <Nothing>–</Nothing>;
  const named = countries.slice(0, MOST_COUNTRIES).map(({ country, difference }) => {
    const name = valueWord('country', country, { lines: [], customers: [] });
    return `${name} ${signed(difference)}`;
  });
  return (
    <span class="stack close">
      <span>{reasonWords()[reason]}</span>
      <span class="quiet small">{named.join(', ')}</span>
    </span>
  );
}

const reasonWords = (): Record<ComparedReason, string> => ({
  no_status: t('WhatsApp reported no status for messages that the gateway sent'),
  other_price: t('WhatsApp counts them in another category or type, such as a free entry point'),
  day_borders: t('Sent on one day and delivered on another'),
  past_gateway: t('Sent with the same number by another program'),
  unexplained: t('Unknown'),
});

/** A pricing type; empty if it is unknown. */
function typeWord(type: string): string {
  const words: Record<string, string> = {
    regular: t('Charged'),
    free_customer_service: t('Free: customer service window'),
    free_entry_point: t('Free: entry point'),
  };
  return words[type] ?? type;
}
