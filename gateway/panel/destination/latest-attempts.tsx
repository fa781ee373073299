import { type VNode } from 'preact';
import { type LastAttempt } from '../../store/reports/destination-report';
import { type DestinationRow } from '../../store/tables/destinations';
import { number } from '../languages/numbers';
import { t } from '../languages/t';
import { causeWord } from '../ui/words/causes';
import { answerText, lastResultOf } from './held-back';
import { Badge, Nothing, Table, Time } from '../ui/parts';
import { useRequest } from '../ui/page-request';

/** Most characters of an answer in a row. */
const LONGEST_ANSWER = 80;

interface Tried {
  at: string;
  result: string;
  /** Null for a probe, which stores no attempt. */
  attempt: LastAttempt | null;
}

interface LatestProps {
  destination: DestinationRow;
  /** Latest first. */
  attempts: LastAttempt[];
}

function triesOf({ destination, attempts }: LatestProps): Tried[] {
  const last = lastResultOf(destination, attempts[0] ?? null);
  const [status] = /^HTTP \d+/.exec(destination.last_failure ?? '') ?? [];
  return [
    ...(last && last.attempt === null ? [{ ...last, result: status ?? last.result }] : []),
    ...attempts.map((attempt) => ({
      at: attempt.started_at,
      result: causeWord(attempt.outcome, attempt.http_status),
      attempt,
    })),
  ];
}

const Answer = ({ attempt }: Tried): VNode => {
  if (attempt === null) return <span class="quiet">{t("Try while it isn't accepting events")}</span>;
  const text = answerText(attempt.answer, LONGEST_ANSWER);
  return text ? <code class="answer">{text}</code> : <Nothing>{t('nothing')}</Nothing>;
};

/** The latest attempts to one destination, with the answers if the user may see them. */
export function LatestAttempts(props: LatestProps): VNode {
  const hasAnswers = useRequest().may('messages.read', props.destination.line_id);
  return (
    <Table
      caption={t('Latest attempts')}
      brief="bare"
      rows={triesOf(props)}
      rowKey={({ at, attempt }) => (attempt ? `${attempt.event_id} ${attempt.number}` : at)}
      columns={[
        {
          label: t('When'),
          heading: true,
          cell: ({ at, attempt }) =>
            attempt ? (
              <a href={`/panel/events/${attempt.event_id}`}>
                <Time at={at} />
              </a>
            ) : (
              <Time at={at} />
            ),
        },
        ...(hasAnswers ? [{ label: t('Answer'), cell: (tried: Tried) => <Answer {...tried} /> }] : []),
        {
          label: t('Result'),
          cell: ({ result, attempt }) => (
            <Badge tone={attempt?.outcome === 'delivered' ? 'good' : 'bad'}>{result}</Badge>
          ),
        },
        { label: t('Took'), cell: ({ attempt }) => (attempt ? `${number(attempt.duration_ms)} ms` : '–') },
      ]}
    />
  );
}
