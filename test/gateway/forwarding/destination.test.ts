import { DEFAULT_EVENT_KINDS, EVENT_KINDS, wants } from '../../../gateway/forwarding/destination';

const message = { subject: 'message', kind: 'text' } as const;
const status = (kind: string) => ({ subject: 'messageStatus', kind }) as const;
const account = { subject: 'account', kind: 'message_template_status_update' } as const;

describe('a destination', () => {
  test('receives the kinds that it asks for, and no other', () => {
    for (const asked of EVENT_KINDS) {
      const events = [asked];
      expect(wants({ events }, message)).toBe(asked === 'messages');
      expect(wants({ events }, account)).toBe(asked === 'account');
      for (const kind of ['sent', 'delivered', 'read', 'failed'])
        expect(wants({ events }, status(kind))).toBe(asked === kind);
    }
  });

  test('receives messages and every status unless it says otherwise, and nothing of the account', () => {
    const events = DEFAULT_EVENT_KINDS;
    expect(wants({ events }, message)).toBe(true);
    for (const kind of ['sent', 'delivered', 'read', 'played', 'failed'])
      expect(wants({ events }, status(kind))).toBe(true);
    expect(wants({ events }, account)).toBe(false);
  });

  test('receives "played" where it asks for "read", and a status unknown today where it asks for any', () => {
    expect(wants({ events: ['read'] }, status('played'))).toBe(true);
    expect(wants({ events: ['sent'] }, status('played'))).toBe(false);
    expect(wants({ events: ['sent'] }, status('warning'))).toBe(true);
    expect(wants({ events: ['messages', 'account'] }, status('warning'))).toBe(false);
  });
});
