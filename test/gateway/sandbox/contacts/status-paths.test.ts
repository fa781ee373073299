import {
  callbackTo,
  CONTACT,
  inside,
  type Json,
  startReceiver,
  startTestSandbox,
  text,
  valueOf,
} from '../support';

/** A sandbox in which CONTACT has written, and what it reports from then on. */
async function startConversation(statusDelays = { sent: 1, delivered: 2, read: 3 }) {
  const receiver = await startReceiver();
  const sandbox = await startTestSandbox({ callback: callbackTo(receiver), statusDelays });
  await sandbox.contact({ text: 'Hi' });
  await receiver.accepted(1);
  const statuses = async (count: number): Promise<Json[]> =>
    (await receiver.accepted(count + 1)).slice(1).flatMap((each) => valueOf(each).statuses);
  return { receiver, sandbox, statuses };
}

const voice = { type: 'audio', audio: { link: 'https://example.com/voice.ogg', voice: true } };

describe('the messages to a contact', () => {
  it.each([
    ['read', ['sent', 'delivered', 'read']],
    ['delivered', ['sent', 'delivered']],
    ['sent', ['sent']],
    ['read_without_delivered', ['sent', 'read']],
    ['repeated', ['sent', 'sent', 'delivered', 'delivered', 'read', 'read']],
    ['out_of_order', ['read', 'delivered', 'sent']],
  ])('take the path %s', async (path, expected) => {
    const { sandbox, statuses } = await startConversation();
    await sandbox.play(`contacts/${CONTACT}`, { path });
    await sandbox.send(text('first'));
    const first = await statuses(expected.length);
    expect(first.map(({ status }) => status)).toEqual(expected);
    // Nothing of the first is left when the second has gone its way.
    await sandbox.play(`contacts/${CONTACT}`, { path: 'read' });
    await sandbox.send(text('second'));
    const all = await statuses(expected.length + 3);
    expect(all.slice(expected.length).map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
  });

  it('that come twice are the same to the last digit', async () => {
    const { sandbox, receiver } = await startConversation();
    await sandbox.play(`contacts/${CONTACT}`, { path: 'repeated' });
    await sandbox.send(text('Hello'));
    const [, first, again] = await receiver.accepted(7);
    expect(again.body).toBe(first.body);
  });

  it('that come out of order tell when they happened', async () => {
    const { sandbox, statuses } = await startConversation();
    await sandbox.play(`contacts/${CONTACT}`, { path: 'out_of_order' });
    await sandbox.send(text('Hello'));
    expect((await statuses(3)).map(({ timestamp }) => timestamp)).toEqual([
      '1772445602',
      '1772445601',
      '1772445600',
    ]);
  });

  it('have all their statuses in one notification', async () => {
    const { sandbox, receiver } = await startConversation();
    await sandbox.play(`contacts/${CONTACT}`, { path: 'in_one_notification' });
    await sandbox.send(text('Hello'));
    const [, only] = await receiver.accepted(2);
    expect(valueOf(only).statuses.map((each: Json) => each.status)).toEqual(['sent', 'delivered', 'read']);
  });

  it.each([131026, 131049, 130472, 131053, 368, 131031])(
    'are sent and then fail with %i, and nothing follows',
    async (code) => {
      const { sandbox, statuses } = await startConversation();
      await sandbox.play(`contacts/${CONTACT}`, { path: 'failed', code, next: 1 });
      await sandbox.send(text('Hello'));
      const [sent, failed] = await statuses(2);
      await sandbox.send(text('again'));
      expect(sent.status).toBe('sent');
      expect(failed).toEqual({
        id: sent.id,
        status: 'failed',
        timestamp: '1772445600',
        recipient_id: CONTACT,
        errors: [
          {
            code,
            title: expect.any(String),
            message: expect.any(String),
            error_data: { details: expect.any(String) },
            href: expect.stringMatching(/error-codes$/),
          },
        ],
      });
      const all = await statuses(5);
      expect(all.filter(({ id }) => id === sent.id)).toHaveLength(2);
      expect(all.filter(({ id }) => id !== sent.id).map(({ status }) => status)).toEqual([
        'sent',
        'delivered',
        'read',
      ]);
    },
  );

  it('are played where they are voice messages', async () => {
    const { sandbox, statuses } = await startConversation();
    await sandbox.play(`contacts/${CONTACT}`, { path: 'played' });
    await sandbox.send(voice);
    expect((await statuses(4)).map(({ status }) => status)).toEqual(['sent', 'delivered', 'read', 'played']);
    await sandbox.send(text('not to be played'));
    expect((await statuses(7)).at(-1).status).toBe('read');
  });

  it('have a status before their send is answered', async () => {
    const { sandbox, receiver } = await startConversation();
    await sandbox.play(`contacts/${CONTACT}`, { path: 'before_the_answer' });
    const answered = sandbox.send(text('Hello')).then((answer) => {
      // The notification is there already when the answer arrives.
      expect(receiver.received).toHaveLength(2);
      return answer.json.messages[0].id;
    });
    expect(inside((await receiver.accepted(4))[1])).toMatchObject({ id: await answered, status: 'sent' });
    expect(receiver.received.slice(1).map((each) => inside(each).status)).toEqual([
      'sent',
      'delivered',
      'read',
    ]);
  });

  it('take a path for so many messages, and then the usual one again', async () => {
    const { sandbox, statuses } = await startConversation();
    await sandbox.play(`contacts/${CONTACT}`, { path: 'delivered' });
    expect(await sandbox.play(`contacts/${CONTACT}`, { path: 'sent', next: 2 })).toMatchObject({
      path: { path: 'delivered' },
      next: { path: 'sent', times: 2 },
    });
    for (const [body, count] of [
      ['1', 1],
      ['2', 2],
      ['3', 4],
    ] as const) {
      await sandbox.send(text(body));
      await statuses(count);
    }
    expect((await statuses(4)).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent', 'delivered']);
    expect((await sandbox.call('GET', '/sandbox')).json.paths).toEqual([
      { contact: CONTACT, path: { path: 'delivered' }, next: null },
    ]);
  });

  it('of another contact take their own', async () => {
    const { sandbox, statuses } = await startConversation();
    await sandbox.play('contacts/12025550199', { path: 'sent' });
    await sandbox.send(text('Hello'));
    expect((await statuses(3)).map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
  });
});
