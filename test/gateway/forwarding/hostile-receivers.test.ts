import { deliver, type Outcome } from '../../../gateway/forwarding/deliver';
import { destinationRules } from '../../../gateway/http/destination-address';
import { createHttpClient, type HttpClient } from '../../../gateway/http/http-client';
import { SECOND } from '../../../gateway/time';
import { HOSTILE_RECEIVERS, openReceiver, type OpenReceiver } from '../../support/hostile-receivers';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { destinationTo } from './support';

/** In place of the 20 seconds that an exchange may take; `npm run prove` has them in full. */
const PATIENCE = 4 * SECOND;
/** All of them are called at once on a machine that does other things as well. */
const SLACK = 16 * SECOND;
const ANSWER_LIMIT = 16 * 1024;

describe('of an attempt at a receiver that', () => {
  let client: HttpClient;
  let elsewhere: HttpPeer;
  let healthy: HttpPeer;
  const open: OpenReceiver[] = [];
  const outcomes: Outcome[] = [];
  const healthyOutcomes: Outcome[] = [];

  const attemptAt = (url: string) =>
    deliver(
      client,
      destinationTo(url),
      { eventId: 'evt_1', body: `{"text":"${'é'.repeat(5000)}"}`, attempt: 1, line: '1' },
      Date.now,
    );

  /** Everything happens at once, so that each is also seen not to harm the others. */
  beforeAll(async () => {
    const patient = createHttpClient({
      rules: destinationRules(['127.0.0.1']),
      maxAnswerBytes: ANSWER_LIMIT,
      brokenBody: 'ignored',
    });
    client = { ...patient, exchange: (question) => patient.exchange({ ...question, timeout: PATIENCE }) };
    elsewhere = await startPeer();
    healthy = await startPeer();
    for (const receiver of HOSTILE_RECEIVERS) open.push(await openReceiver(receiver, elsewhere.url));
    const [all] = await Promise.all([
      Promise.all(open.map(({ url }) => attemptAt(url))),
      (async () => {
        for (let number = 0; number < 50; number++) healthyOutcomes.push(await attemptAt(healthy.url));
      })(),
    ]);
    outcomes.push(...all);
  });

  afterAll(async () => {
    await client.close();
    await Promise.all([...open, elsewhere, healthy].map((one) => one.close()));
  });

  test.each(HOSTILE_RECEIVERS.map((receiver, index) => ({ ...receiver, index })))(
    '$does, $outcome is recorded',
    ({ index, outcome, httpStatus, retryAfter, takesAllTime }) => {
      const recorded = outcomes[index] as Outcome;
      expect(recorded).toMatchObject({ outcome, httpStatus });
      expect(recorded.retryAfter).toBe(retryAfter === undefined ? null : retryAfter * SECOND);
      expect(Buffer.byteLength(recorded.answer)).toBeLessThanOrEqual(3 * ANSWER_LIMIT);
      if (outcome !== 'delivered' && httpStatus === null) expect(recorded.answer).not.toBe('');
      expect(recorded.durationMs).toBeLessThan(PATIENCE + SLACK);
      if (takesAllTime) expect(recorded.durationMs).toBeGreaterThan(PATIENCE - 50);
      expect(open[index]?.requests()).toBeLessThanOrEqual(1);
    },
  );

  test('is healthy, all of 50 in a row are delivered while the others do what they do', () => {
    expect(healthyOutcomes.map(({ outcome }) => outcome)).toEqual(Array(50).fill('delivered'));
  });

  test('leads elsewhere, nobody is called there', () => {
    expect(elsewhere.received).toEqual([]);
  });

  test('holds its connection open, that is hung up', async () => {
    await until(() =>
      open.every((one, index) => !HOSTILE_RECEIVERS[index]?.takesAllTime || one.open() === 0),
    );
  });

  test('is any of these, the next attempt there is one as well, and gets no answer of the one before', async () => {
    const again = await Promise.all(open.map(({ url }) => attemptAt(url)));
    again.forEach((recorded, index) => {
      const { does, outcome, httpStatus } = HOSTILE_RECEIVERS[index] ?? {};
      expect([does, recorded.outcome, recorded.httpStatus]).toEqual([does, outcome, httpStatus]);
    });
  });
});
