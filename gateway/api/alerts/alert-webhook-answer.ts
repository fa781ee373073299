import * as Type from 'typebox';
import { type AlertChannelTable } from '../../store/schema';
import { TextOrNull, TimeOrNull } from '../http/answer-parts';

export const AlertWebhookAnswer = Type.Object({
  id: Type.Integer(),
  url: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: TimeOrNull,
  last_told_at: TimeOrNull,
  failing_since: TimeOrNull,
  last_failure: TextOrNull,
});

type Shown = Pick<
  AlertChannelTable,
  'created_at' | 'expires_at' | 'last_told_at' | 'failing_since' | 'last_failure'
> & { id: number };

/** A webhook for alerts as the API shows it; its secret is told once, when it is added. */
export const shown = (row: Shown, url: string): Type.Static<typeof AlertWebhookAnswer> => ({
  id: row.id,
  url,
  created_at: row.created_at,
  expires_at: row.expires_at,
  last_told_at: row.last_told_at,
  failing_since: row.failing_since,
  // Why it fails tells which names there are in the gateway's network: customers read that it does.
  last_failure: row.last_failure?.startsWith('It answered')
    ? row.last_failure
    : row.last_failure && 'It could not be reached.',
});

/** The name under which the panel shows what a token has registered. */
export const NAME = 'Registered by API';
