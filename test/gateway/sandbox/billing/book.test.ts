import { until } from '../../../support/http-peer';
import {
  CONTACT,
  HOUR,
  type Json,
  LINE,
  startObserved,
  startTestSandbox,
  template,
  text,
  valueOf,
} from '../support';

const rowsOf = async ({ call }: Awaited<ReturnType<typeof startTestSandbox>>): Promise<Json[]> =>
  (await call('GET', '/sandbox/book')).json.rows;

describe("the sandbox's book", () => {
  it('counts what really happened on each path, also where no status tells it', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.contact({ text: 'Hi' });
    const paths = [
      'read',
      'delivered',
      'sent',
      'read_without_delivered',
      'repeated',
      'out_of_order',
      'lost',
      'late',
    ];
    for (const path of paths) {
      await sandbox.play(`contacts/${CONTACT}`, { path });
      await sandbox.send(text(path));
    }
    await sandbox.play(`contacts/${CONTACT}`, { path: 'failed', code: 131026 });
    await sandbox.send(text('failed'));
    await until(async () => {
      const [row] = await rowsOf(sandbox);
      return row?.delivered === 7 && row.read === 6 && row.failed === 1;
    });
    // In March 2026 messages within the window are free.
    expect(await rowsOf(sandbox)).toEqual([
      {
        line: LINE,
        day: '2026-03-02',
        category: 'service',
        type: 'free_customer_service',
        country: 'US',
        accepted: 9,
        delivered: 7,
        read: 6,
        failed: 1,
        charged: 0,
      },
    ]);
  });

  it('counts by day, category and country, and what is charged', async () => {
    const sandbox = await startTestSandbox();
    const delivered = (count: number) =>
      until(async () => (await rowsOf(sandbox)).reduce((sum, row) => sum + row.delivered, 0) === count);
    await sandbox.send(template('hello_world'));
    await delivered(1);
    sandbox.later(24 * HOUR);
    await sandbox.send({ ...template('hello_world'), to: '5511987654321' });
    await delivered(2);
    expect(
      (await rowsOf(sandbox)).map(({ day, category, country, charged }) => [day, category, country, charged]),
    ).toEqual([
      ['2026-03-02', 'utility', 'US', 1],
      ['2026-03-03', 'utility', 'BR', 1],
    ]);
    await sandbox.play('reset');
    expect(await rowsOf(sandbox)).toEqual([]);
  });

  it.each([
    ['2026-09-30T23:59:59Z', 'free_customer_service', 0],
    ['2026-10-01T00:00:00Z', 'regular', 1],
  ])('charges a reply within the window at %s by the rules of that day', async (at, type, charged) => {
    const sandbox = await startTestSandbox({ now: () => new Date(at) });
    await sandbox.contact({ text: 'Hi' });
    await sandbox.send(text('Hello'));
    await until(async () => (await rowsOf(sandbox))[0]?.delivered === 1);
    expect((await rowsOf(sandbox))[0]).toMatchObject({ category: 'service', type, charged });
  });
});

describe('statuses that come late', () => {
  it('come together, with the times when they happened', async () => {
    const { receiver, sandbox } = await startObserved({ statusDelays: { sent: 1, delivered: 2, read: 50 } });
    await sandbox.play(`contacts/${CONTACT}`, { path: 'late' });
    await sandbox.send(template('hello_world'));
    await until(async () => (await rowsOf(sandbox))[0]?.read === 1);
    sandbox.later(HOUR);
    const [{ statuses }] = (await receiver.accepted(1)).map(valueOf);
    expect(statuses.map(({ status, timestamp }: Json) => [status, timestamp])).toEqual([
      ['sent', '1772445600'],
      ['delivered', '1772445600'],
      ['read', '1772445600'],
    ]);
  });
});
