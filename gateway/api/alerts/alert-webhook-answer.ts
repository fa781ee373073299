import * as Type from 'typebox';
import { type AlertChannelTable } from '../../store/schema';
import { saidOfFailure } from '../../alerts/conditions/channels';
import { type Said } from '../../wording/facts';
import { say } from '../../wording/say';
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
  'created_at' | 'expires_at' | 'last_told_at' | 'failing_since' | 'last_failure' | 'failure'
> & { id: number };

/** A webhook for alerts, as the API returns it. The secret is only returned when the webhook is added. */
export const shown = (row: Shown, url: string): Type.Static<typeof AlertWebhookAnswer> => ({
  id: row.id,
  url,
  created_at: row.created_at,
  expires_at: row.expires_at,
  last_told_at: row.last_told_at,
  failing_since: row.failing_since,
  last_failure: row.last_failure && say('en', publicFailure(row)),
});

/**
 * The reason of a failure may reveal host names in the gateway's network, so customers only see their own server's
 * response.
 */
function publicFailure(row: Shown): Said {
  const failure = saidOfFailure(row);
  const isAnswer =
    typeof failure === 'string' ? failure.startsWith('It answered') : failure?.word === 'channel.answered';
  return isAnswer && failure !== null ? failure : 'It could not be reached.';
}

/** The panel's name for channels that a token registered. */
export const NAME = 'Registered by API';
