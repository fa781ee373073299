import { type VNode } from 'preact';
import { type LastAttempt } from '../../../store/reports/destination-report';
import { number } from '../../languages/numbers';
import { t } from '../../languages/t';
import { causeWord } from '../../ui/words/causes';
import { answerText } from '../../ui/held-back';
import { Badge, Nothing, Table, Time } from '../../ui/parts';

/** Of each answer so much, so that it stays a line. */
const LONGEST_ANSWER = 80;

/** What was tried at one destination last, and what it answered. */
export const LatestAttempts = ({ attempts }: { attempts: LastAttempt[] }): VNode => (
  <Table
    caption={t('Latest attempts')}
    brief="bare"
    rows={attempts}
    rowKey={({ event_id: event, number: attempt }) => `${event} ${attempt}`}
    columns={[
      {
        label: t('When'),
        heading: true,
        cell: ({ event_id: event, started_at: at }) => (
          <a href={`/panel/events/${event}`}>
            <Time at={at} />
          </a>
        ),
      },
      {
        label: t('Answer'),
        cell: ({ answer }) => {
          const text = answerText(answer, LONGEST_ANSWER);
          return text ? <code class="answer">{text}</code> : <Nothing>{t('nothing')}</Nothing>;
        },
      },
      {
        label: t('Result'),
        cell: ({ outcome, http_status: status }) => (
          <Badge tone={outcome === 'delivered' ? 'good' : 'bad'}>{causeWord(outcome, status)}</Badge>
        ),
      },
      { label: t('Took'), cell: ({ duration_ms: took }) => `${number(took)} ms` },
    ]}
  />
);
