import { type AlertKind } from '../wording/facts';
import { channelKinds } from './conditions/channels';
import { destinationKinds } from './conditions/destinations';
import { lineKinds } from './conditions/lines';
import { processKinds } from './conditions/processes';
import { templateKinds } from './conditions/templates';
import { tokenKinds } from './conditions/tokens';
import { type ConditionKind } from './conditions/kind';
import { ownKinds } from './process-watch';

/** Every condition that people are notified of, in the order in which pages list them. */
export const KINDS: Record<AlertKind, ConditionKind> = {
  ...destinationKinds,
  ...lineKinds,
  ...templateKinds,
  ...tokenKinds,
  ...ownKinds,
  ...processKinds,
  ...channelKinds,
};

export const CONDITION_KINDS = Object.keys(KINDS) as AlertKind[];
export const isConditionKind = (word: string): word is AlertKind => Object.hasOwn(KINDS, word);

/** Whether its subject is the id of a destination. */
export const isOfDestination = (kind: string): boolean =>
  isConditionKind(kind) && KINDS[kind].isOfDestination === true;
