import { addChannel, type NewChannel } from '../../../gateway/alerts/use-cases/add-channel';
import { type ChannelSettings } from '../../../gateway/alerts/channels/channel-kind';
import { type ChannelKindName } from '../../../gateway/alerts/channels/kinds';
import { withSecret } from '../../../gateway/alerts/channels/webhook';
import { type ChannelRow } from '../../../gateway/store/tables/alerts';
import { type Scene } from '../../support/scene';

export const ACTOR = { who: 'ana', through: 'panel', address: null } as const;

/** Of a channel that an operator adds for the whole gateway. */
export const TERMS: Omit<NewChannel, 'kind' | 'settings'> = {
  ...{ name: 'Ours', scope: 'gateway', scopeId: null, quiet: null, timeZone: 'UTC', remindHours: null },
  ...{ origin: 'operator', tokenId: null, language: 'en' },
};

/** Adds a channel for the whole gateway, as an operator does. */
export const addAlertChannel = (
  scene: Scene,
  kind: ChannelKindName,
  settings: ChannelSettings,
  more: Partial<NewChannel> = {},
): Promise<ChannelRow> =>
  scene.change((world) =>
    addChannel(world, ACTOR, null, { ...TERMS, kind, settings, name: `Our ${kind}`, ...more }),
  );

export async function addAlertWebhook(scene: Scene, url: string): Promise<{ id: number; secret: string }> {
  const settings = withSecret({ url });
  const { id } = await addAlertChannel(scene, 'webhook', settings);
  return { id, secret: settings.secret ?? '' };
}

/** The row of an approved template with two variables. */
export const alertTemplate = (lineId: number, status = 'APPROVED') => ({
  ...{ line_id: lineId, name: 'gateway_alert', language: 'en', upstream_id: '1', category: 'UTILITY' },
  ...{ upstream_status: status, quality_score: null, rejected_reason: null, quality_node: null },
  ...{ parameter_format: 'POSITIONAL', is_starter: 0 as const },
  ...{ components: '[{"type":"BODY","text":"{{1}}: {{2}}"}]' },
  ...{ status_at: null, quality_at: null, category_at: null, components_at: null },
});
