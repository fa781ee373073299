import { type ComponentChildren, type VNode } from 'preact';
import { failureOf } from '../../forwarding/failures';
import { lastTryOf, type LastTry } from '../../forwarding/last-try';
import { fact } from '../../wording/facts';
import { type WaitingFor } from '../../store/reports/backlog';
import { type LastAttempt } from '../../store/reports/destination-report';
import { type DestinationRow } from '../../store/tables/destinations';
import { type Permission } from '../../rights/roles';
import { ActionButton } from '../ui/form';
import { Ago, Left, Time } from '../ui/parts';
import { upToMost } from '../languages/numbers';
import { causeWords, isCause } from '../ui/words/causes';
import { t } from '../languages/t';
import { said } from '../languages/said';
import { useRequest } from '../ui/page-request';

/**
 * Parts of pages about a destination that isn't accepting events: since when, why, how many deliveries wait,
 * and the next try.
 */

type Health = Pick<
  DestinationRow,
  'paused_at' | 'failing_since' | 'last_failure' | 'last_tried_at' | 'next_try_at'
>;

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/**
 * When a waiting delivery is tried next (ISO time): never before the next try of its destination.
 * @param dueAt when the delivery itself is due
 */
export const nextTryOf = ({ next_try_at: nextTryAt }: Pick<Health, 'next_try_at'>, dueAt: string): string =>
  nextTryAt !== null && nextTryAt > dueAt ? nextTryAt : dueAt;

/** Labels a failure by its cause or HTTP status. @param failure as stored in `last_failure` */
export const failureWord = (failure: string): string =>
  isCause(failure) ? causeWords(failure).word : said(fact('attempt.failed', { failure }));

/** Labels the result of an attempt. */
export const attemptWord = ({
  outcome,
  http_status: httpStatus,
}: Pick<LastAttempt, 'outcome' | 'http_status'>): string =>
  failureWord(httpStatus === null ? outcome : failureOf({ outcome: 'http_error', httpStatus }));

/** "since 3:31 PM (HTTP 500)", as part of a sentence. */
export const Since = ({
  destination: { failing_since: since, last_failure: last },
}: {
  destination: Pick<Health, 'failing_since' | 'last_failure'>;
}): VNode => (
  <>
    {t.rich('since {when}', { when: <Time at={since} to="minute" /> })}
    {last && ` (${failureWord(last)})`}
  </>
);

/** "Next try in 2 min 40 s.", or that a try is running, which may take 20 seconds. */
export const NextTry = ({ at }: { at: string }): VNode => {
  const now = useRequest().deps.clock();
  return (
    <>
      {Date.parse(at) > now
        ? t.rich('Next try {left}.', { left: <Left at={at} now={now} /> })
        : t('It is being tried now.')}
    </>
  );
};

/** The last try of a destination, with a label for its result. */
interface LastResult extends LastTry {
  result: string;
}

export function lastResultOf(
  destination: Pick<Health, 'last_tried_at' | 'last_failure'>,
  attempt: LastAttempt | null,
): LastResult | null {
  const last = lastTryOf(destination, attempt);
  return (
    last && {
      ...last,
      result: last.attempt ? attemptWord(last.attempt) : failureWord(destination.last_failure ?? ''),
    }
  );
}

/** Most characters of an answer on one line. */
const LONGEST_ANSWER = 160;

/** The beginning of an answer, on one line. */
export function answerText(answer: string | null, longest = LONGEST_ANSWER): string {
  const text = (answer ?? '').replace(/\s+/g, ' ').trim();
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

interface Tried {
  destination: Health;
  lastAttempt: LastAttempt | null;
}

/**
 * The receiver's answer to the last stored attempt, linked to its event. Null if a later try failed
 * otherwise.
 */
function answerOf({ destination, lastAttempt }: Tried): ComponentChildren {
  const text = answerText(lastAttempt?.answer ?? null);
  const isOfLast =
    lastAttempt !== null && lastResultOf(destination, lastAttempt)?.result === attemptWord(lastAttempt);
  if (!isOfLast || !text || lastAttempt.outcome === 'delivered') return null;
  const link = (parts: string) => (
    <a href={`/panel/events/${lastAttempt.event_id}`}>
      <code>{parts}</code>
    </a>
  );
  return lastAttempt.http_status === null
    ? t.rich('Error: <link>{text}</link>', { link, text })
    : t.rich('Answer: <link>{text}</link>', { link, text });
}

/** The last answer, on its own line. */
export function LastAnswer(tried: Tried): VNode | null {
  const answer = answerOf(tried);
  return answer === null ? null : <span class="answer">{answer}</span>;
}

const LastTried = ({ at, result }: { at: string; result: string }): VNode => (
  <>{t.rich('Last try {when}: {result}.', { when: <Ago at={at} />, result })}</>
);

interface HeldBackProps extends Tried {
  waiting: WaitingFor | undefined;
}

/** "42 deliveries wait. Next try in 2 min 40 s." */
const WaitsUntil = ({ destination, waiting }: Pick<HeldBackProps, 'destination' | 'waiting'>): VNode => (
  <>
    <Waits count={waiting?.count ?? 0} />{' '}
    {waiting?.firstDueAt ? (
      <NextTry at={nextTryOf(destination, waiting.firstDueAt)} />
    ) : (
      t('The next event triggers the next try.')
    )}
  </>
);

const NotAccepting = ({ destination, last }: { destination: Health; last: LastResult | null }): VNode => (
  <>
    {t.rich('Not accepting events {since}.', {
      since: <Since destination={last ? { ...destination, last_failure: null } : destination} />,
    })}
  </>
);

/**
 * "Not accepting events since 3:31 PM. Last try 8 s ago: HTTP 500. 42 deliveries wait. Next try in 2 min 40 s.", with the
 * receiver's answer beneath.
 */
export function HeldBack({
  children,
  ...props
}: HeldBackProps & {
  /** Shown after the text, on the same line. */
  children?: ComponentChildren;
}): VNode {
  const last = lastResultOf(props.destination, props.lastAttempt);
  return (
    <>
      <NotAccepting {...props} last={last} /> {last && <LastTried {...last} />} <WaitsUntil {...props} />{' '}
      {children}
      <LastAnswer {...props} />
    </>
  );
}

/** Two lines, for lists. The answer is shown only if the result is a bare HTTP status. */
export function HeldBackBriefly(props: HeldBackProps): VNode {
  const last = lastResultOf(props.destination, props.lastAttempt);
  const isBare = /^HTTP \d+$/.test(last?.result ?? '');
  return (
    <>
      <NotAccepting {...props} last={last} /> <WaitsUntil {...props} />
      {last && (
        <span class={isBare ? 'answer' : undefined}>
          {' '}
          <LastTried {...last} /> {isBare && answerOf(props)}
        </span>
      )}
    </>
  );
}

/** What the user can do about the destination. */
export const Advice = ({ lineId }: { lineId: number }): VNode => (
  <>
    {useRequest().may('deliveries.replay', lineId)
      ? t('Fix the receiver, then press Try now or wait for the next try.')
      : t('Fix the receiver. Waiting events are sent with the next try.')}
  </>
);

export const Waits = ({ count }: { count: number }): VNode => (
  <>
    {count
      ? t('{shown} {count, plural, one {delivery is waiting} other {deliveries are waiting}}.', {
          shown: upToMost(count),
          count,
        })
      : t('Nothing is waiting.')}
  </>
);

interface ActionProps {
  destination: Pick<DestinationRow, 'id' | 'line_id' | 'url'>;
  /** The page to return to: `overview`, `events`, `alerts`, `line`, `destination`, or the address of an event. */
  from: string;
  tone?: 'primary' | 'plain';
}

/** Null for users without the permission. */
const Action = ({
  destination: { id, line_id: lineId, url },
  from,
  tone = 'primary',
  path,
  needs,
  label,
}: ActionProps & { path: string; needs: Permission; label: string }): VNode | null => {
  const { may, deps } = useRequest();
  if (!may(needs, lineId)) return null;
  // Named, because several lines may have destinations on one host.
  const line = deps.lines.byId(lineId)?.name;
  return (
    <ActionButton action={`/panel/destinations/${id}/${path}`} fields={{ from }} tone={tone}>
      {label}
      <span class="sr-only">: {[hostOf(url), ...(line === undefined ? [] : [line])].join(', ')}</span>
    </ActionButton>
  );
};

export const TryNow = (props: ActionProps): VNode => (
  <Action {...props} path="try-now" needs="deliveries.replay" label={t('Try now')} />
);

export const Resume = (props: ActionProps): VNode => (
  <Action {...props} path="resume" needs="destinations.manage" label={t('Resume')} />
);
