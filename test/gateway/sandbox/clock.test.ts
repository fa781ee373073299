import { join } from 'node:path';
import { temporaryFolder } from '../../support/databases';
import { CONTACT, inside, startObserved, startTestSandbox, template, text } from './support';

describe('the clock', () => {
  it('goes forward by what is said, and with it every timestamp', async () => {
    const { receiver, sandbox } = await startObserved();
    expect((await sandbox.call('GET', '/sandbox/clock')).json).toEqual({
      now: '2026-03-02T10:00:00.000Z',
      ahead: '0s',
    });
    expect(await sandbox.play('clock', { advance: '25h' })).toEqual({
      now: '2026-03-03T11:00:00.000Z',
      ahead: '1d1h',
    });
    expect((await sandbox.play('clock', { advance: '1m30s' })).ahead).toBe('1d1h1m30s');
    expect(sandbox.now().toISOString()).toBe('2026-03-03T11:01:30.000Z');
    await sandbox.contact({ text: 'Hi' });
    await sandbox.send(template('hello_world'));
    await sandbox.play('templates/hello_world', { event: 'PAUSED' });
    await receiver.accepted(5);
    const at = String(Date.parse('2026-03-03T11:01:30Z') / 1000);
    // What concerns the account goes out beside what concerns the line, in no order.
    const told = receiver.received.filter(({ json }) => json.entry[0].time === undefined);
    expect(told.map((one) => inside(one).timestamp)).toEqual(Array(4).fill(at));
    const paused = receiver.received.find(({ json }) => json.entry[0].time !== undefined);
    expect(paused?.json.entry[0].time).toBe(Number(at));
  });

  it('closes the window of a contact after 24 hours, and no sooner', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.contact({ text: 'Hi' });
    await sandbox.play('clock', { advance: '23h59m59s' });
    await sandbox.send(text('just in time'));
    expect(inside((await receiver.accepted(4))[3]).status).toBe('read');
    await sandbox.play('clock', { advance: '1s' });
    await sandbox.send(text('too late'));
    expect(inside((await receiver.accepted(5))[4])).toMatchObject({
      status: 'failed',
      errors: [{ code: 131047 }],
    });
  });

  it('is as far ahead after a restart, so that windows stay what they were', async () => {
    const folder = temporaryFolder();
    const dataFile = join(folder, 'contacts.jsonl');
    const window = `/sandbox/contacts/${CONTACT}/messages`;
    const first = await startTestSandbox({ dataFile });
    await first.contact({ text: 'Hi' });
    await first.play('clock', { advance: '20h' });
    await first.play('clock', { advance: '3h' });
    await first.close();

    const second = await startTestSandbox({ dataFile });
    expect((await second.call('GET', '/sandbox/clock')).json.ahead).toBe('23h');
    expect((await second.call('GET', window)).json.window).toEqual({
      open: true,
      expires_at: '2026-03-03T10:00:00.000Z',
    });
    await second.play('clock', { advance: '1h' });
    await second.close();

    const third = await startTestSandbox({ dataFile });
    expect((await third.call('GET', window)).json.window.open).toBe(false);
  });

  it.each([
    {},
    { advance: '-1h' },
    { advance: '1 hour' },
    { advance: '' },
    { advance: 25 },
    { advance: '366d' },
    { advance: '999999999d' },
    { advance: '1h', back: true },
  ])('is not moved by %j', async (body) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', '/sandbox/clock', body);
    expect([answer.code, answer.json.error.message]).toEqual([400, expect.any(String)]);
    expect((await sandbox.call('GET', '/sandbox/clock')).json.ahead).toBe('0s');
  });

  it('does not run into a time that has no date', async () => {
    const sandbox = await startTestSandbox();
    for (let year = 0; year < 10; year++) await sandbox.play('clock', { advance: '365d' });
    const answer = await sandbox.call('POST', '/sandbox/clock', { advance: '1s' });
    expect([answer.code, answer.json.error.message]).toEqual([
      400,
      "The sandbox's clock is 3650d ahead already; 3650d is the most.",
    ]);
  });
});
