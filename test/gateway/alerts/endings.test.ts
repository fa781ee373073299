import { say } from '../../../gateway/wording/say';
import { endingsOf } from '../../../gateway/alerts/endings';
import { type Line } from '../../../gateway/lines/line';
import { type IncidentRow } from '../../../gateway/store/tables/alerts';
import { DAY, isoTime, MINUTE } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { addLine, openStores } from '../store/support';

const open = openStores();
const START = Date.parse('2026-03-10T12:00:00.000Z');

test.each(DATABASES.slice(0, 1))(
  'what nobody says is well again is not told as that ($name)',
  async ({ createUrl }) => {
    const store = await open(await createUrl());
    const id = await addLine(store);
    const token = await store.tokens.insert({
      ...{ line_id: id, hash: 'hash', last_four: 'abcd', created_at: isoTime(START - 90 * DAY), name: 'CRM' },
      ...{ scopes: null, lifetime: null, expires_at: isoTime(START - 3 * DAY), revoked_at: null },
    });
    const known: Partial<Line> = {
      upstream: { status: 'CONNECTED', quality_rating: 'GREEN', messaging_limit_tier: 'TIER_1K' },
    };
    const untold: Partial<Line> = { upstream: { status: 'A_NEW_WORD' } };
    const endings = async (more: Partial<Line> | null, kinds: [kind: string, subject: number][]) => {
      const line = { id, name: 'Lucky Shrub', isActive: true, accessToken: 'new', ...more } as Line;
      const closed = kinds.map(([kind, subject], at) => ({
        ...{ id: at, kind, subject: String(subject), line_id: id, since: isoTime(START - MINUTE) },
      })) as IncidentRow[];
      const deps = {
        store,
        lines: { byId: (one: number) => (one === id && more ? line : null) },
        clock: () => START,
      };
      return Array.from(await endingsOf(deps, closed, new Set()), ([, over]) => say('en', over));
    };
    const ofPlatform = ['line_disconnected', 'line_restricted', 'line_quality', 'line_limit'].map(
      (kind): [string, number] => [kind, id],
    );
    expect(await endings(known, ofPlatform)).toEqual([]);
    expect(await endings(untold, ofPlatform)).toEqual([
      'WhatsApp does not report whether Lucky Shrub is connected at present',
      'WhatsApp does not report whether Lucky Shrub is restricted at present',
      'WhatsApp does not rate Lucky Shrub at present',
      'WhatsApp does not report the messaging limit of Lucky Shrub at present',
    ]);

    const ofChecks: [string, number][] = [
      ['line_setup', id],
      ['access_token_expiring', id],
    ];
    expect(await endings(untold, ofChecks)).toEqual([
      'WhatsApp does not report the setup of Lucky Shrub at present',
      'Lucky Shrub has another access token, which has not been used yet',
    ]);

    const credentials: [string, number][] = [['line_credentials', id]];
    expect(await endings(known, credentials)).toEqual([
      'Lucky Shrub has another access token, which has not been used yet',
    ]);
    await store.lines.update(id, { status_checked_at: isoTime(START) });
    expect(await endings(known, credentials)).toEqual([]);

    expect(await endings(known, [['token_expiring', token.id]])).toEqual([
      'Lucky Shrub: token CRM …abcd expired 3 days ago and is no longer watched',
    ]);
    await store.tokens.revoke(token.id, isoTime(START));
    expect(await endings(known, [['token_expiring', token.id]])).toEqual([]);

    await store.lines.remove(id, isoTime(START), '');
    await store.traces.removeRest({ lineId: id });
    expect(await endings(null, credentials)).toEqual([`Line ${id} was removed`]);
  },
);
