import { t } from '../languages/t';

/** Translations of the sandbox's refusals that a user of the phone can fix. */
const REFUSALS: { told: RegExp; words: () => string }[] = [
  {
    told: /forgets them when it is restarted|since the sandbox was started/,
    words: () => t('The sandbox no longer has this message, because it was restarted or cleared.'),
  },
  {
    told: /(scripts|of their own) already/,
    words: () => t('Too many simulations are set. Press Back to normal first.'),
  },
];

export const refusalWords = (message: string): string =>
  REFUSALS.find(({ told }) => told.test(message))?.words() ?? message;
