import { type ComponentChildren, type VNode } from 'preact';
import { CHANNEL_KINDS } from '../../alerts/channels/kinds';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';
import { Notice } from '../ui/parts';

/**
 * The kinds of channels, each with a link to its form.
 * @param brief shows only the names
 */
export const ChannelKinds = ({ brief }: { brief?: boolean }): VNode => (
  <div class={brief ? 'actions' : 'tiles kinds'}>
    {Object.entries(CHANNEL_KINDS).map(([word, { label, hint }]) => (
      <a key={word} class={brief ? 'button plain small' : 'tile'} href={`/panel/alerts/channels/new/${word}`}>
        {brief ? t.known(label) : <strong>{t.known(label)}</strong>}
        {!brief && <span class="quiet small">{firstSentence(t.known(hint))}</span>}
      </a>
    ))}
  </div>
);

const firstSentence = (text: string): string => text.replace(/(?<=\.) .*/s, '');

const nobodyIsTold = (mayAdd: boolean): ComponentChildren =>
  mayAdd
    ? t.rich('<strong>No one is notified.</strong> There is no alert channel yet. Where should alerts go?')
    : t.rich(
        '<strong>No one is notified.</strong> There is no alert channel yet. Ask an owner to add one, for example e-mail, Slack or Telegram.',
      );

/** For readers of some lines: others may have channels for these lines. */
const noOwnChannel = (mayAdd: boolean): ComponentChildren =>
  mayAdd
    ? t.rich('<strong>You have no alert channel yet.</strong> Where should alerts about your lines go?')
    : t.rich(
        '<strong>You have no alert channel yet.</strong> Ask an admin to add one, for example e-mail, Slack or Telegram.',
      );

/** Shown while no alert channel exists. */
export function NobodyIsTold({ brief }: { brief?: boolean }): VNode {
  const { may } = useRequest();
  return (
    <>
      <Notice tone="warn">
        <p>
          {may('alerts.read', null) ? nobodyIsTold(may('alerts.manage')) : noOwnChannel(may('alerts.manage'))}
        </p>
        {brief && may('alerts.manage') && <ChannelKinds brief />}
      </Notice>
      {!brief && may('alerts.manage') && <ChannelKinds />}
    </>
  );
}
