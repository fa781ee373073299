import { type VNode } from 'preact';
import { type DestinationRow } from '../../store/tables/destinations';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { ActionButton, Confirm } from '../ui/form';
import { Resume } from './held-back';
import { type Faring } from './standing';

const baseOf = ({ id, line_id: lineId }: DestinationRow) => `/panel/lines/${lineId}/destinations/${id}`;

/** The actions in the heading of a destination's page. */
export const DestinationActions = ({ of: { destination } }: { of: Faring }): VNode => (
  <div class="actions">
    <ActionButton action={`${baseOf(destination)}/test`} tone="plain">
      {t('Send test event')}
    </ActionButton>
    {destination.paused_at === null ? (
      <ActionButton action={`${baseOf(destination)}/pause`} tone="plain">
        {t('Pause')}
      </ActionButton>
    ) : (
      <Resume destination={destination} from="destination" />
    )}
    <a class="button plain" href="#settings">
      {t('Settings')}
    </a>
  </div>
);

export const RemoveDestination = ({ of: { destination, waiting } }: { of: Faring }): VNode => (
  <Confirm
    id={`remove-${destination.id}`}
    action={`${baseOf(destination)}/remove`}
    button={t('Remove')}
    tone="danger"
    title={t('Remove this destination?')}
    confirm={t('Remove it')}
  >
    <p>
      {waiting?.count
        ? t.rich(
            'No more events are sent to <code>{url}</code>. {waiting} waiting for it are canceled. This cannot be undone.',
            { url: destination.url, waiting: upToMost(waiting.count) },
          )
        : t.rich('No more events are sent to <code>{url}</code>. This cannot be undone.', {
            url: destination.url,
          })}
    </p>
  </Confirm>
);
