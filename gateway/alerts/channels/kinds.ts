import { type ChannelKind } from './channel-kind';
import { webhook } from './webhook';

/** Every way to tell people, in the order in which the panel offers them. To add one: its file, and its line here. */
export const CHANNEL_KINDS = {
  webhook,
} satisfies Record<string, ChannelKind>;

export type ChannelKindName = keyof typeof CHANNEL_KINDS;
export const isChannelKind = (word: string): word is ChannelKindName => Object.hasOwn(CHANNEL_KINDS, word);

/** Null for a kind of a later version. */
export const channelKind = (word: string): ChannelKind | null =>
  isChannelKind(word) ? CHANNEL_KINDS[word] : null;
