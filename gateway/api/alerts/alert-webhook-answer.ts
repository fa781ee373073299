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

/** A webhook for alerts as the API shows it; its secret is shown once, when it is added. */
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
 * The reason of a failure may reveal names in the gateway's network: customers only get their server's own
 * answer.
 */
function publicFailure(row: Shown): Said {
  const failure = saidOfFailure(row);
  const isAnswer =
    typeof failure === 'string' ? failure.startsWith('It answered') : failure?.word === 'channel.answered';
  return isAnswer && failure !== null ? failure : 'It could not be reached.';
}

/** The name under which the panel shows what a token has registered. */
export const NAME = 'Registered by API';
