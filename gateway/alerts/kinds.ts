import { type AlertKind } from '../wording/facts';
import { budgetKinds } from './conditions/budgets';
import { channelKinds } from './conditions/channels';
import { destinationKinds } from './conditions/destinations';
import { lineKinds } from './conditions/lines';
import { processKinds } from './conditions/processes';
import { templateKinds } from './conditions/templates';
import { tokenKinds } from './conditions/tokens';
import { type ConditionKind } from './conditions/kind';
import { ownKinds } from './process-watch';

/** Every condition that causes alerts, in the order of the pages. */
export const KINDS: Record<AlertKind, ConditionKind> = {
  ...destinationKinds,
  ...lineKinds,
  ...templateKinds,
  ...tokenKinds,
  ...budgetKinds,
  ...ownKinds,
  ...processKinds,
  ...channelKinds,
};

export const CONDITION_KINDS = Object.keys(KINDS) as AlertKind[];
export const isConditionKind = (word: string): word is AlertKind => Object.hasOwn(KINDS, word);

/** Whether the subject of this kind is the id of a destination. */
export const isOfDestination = (kind: string): boolean =>
  isConditionKind(kind) && KINDS[kind].isOfDestination === true;
