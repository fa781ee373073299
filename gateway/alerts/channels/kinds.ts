import { anyUrl } from './any-url';
import { type ChannelKind } from './channel-kind';
import { discord } from './discord';
import { email } from './email';
import { lineMessage } from './line-message';
import { ntfy } from './ntfy';
import { slack } from './slack';
import { teams } from './teams';
import { telegram } from './telegram';
import { webhook } from './webhook';

/** All kinds of channels, in the order of the panel. To add one, create its file and list it here. */
export const CHANNEL_KINDS = {
  email,
  slack,
  telegram,
  teams,
  discord,
  ntfy,
  whatsapp: lineMessage,
  webhook,
  other: anyUrl,
} satisfies Record<string, ChannelKind>;

export type ChannelKindName = keyof typeof CHANNEL_KINDS;
export const isChannelKind = (word: string): word is ChannelKindName => Object.hasOwn(CHANNEL_KINDS, word);

/** Null for a kind from a later version. */
export const channelKind = (word: string): ChannelKind | null =>
  isChannelKind(word) ? CHANNEL_KINDS[word] : null;
