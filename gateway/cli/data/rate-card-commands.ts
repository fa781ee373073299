import { type Command } from '../command';

export const RATE_CARD_COMMANDS: Omit<Command, 'name'>[] = [
  {
    usage: 'rate-card import FILE --name NAME --effective-from DATE [--customer ID] [--dry-run] [--json]',
    does: 'Imports prices of messages, from a CSV file as the platform publishes it. Usage then shows estimates.',
    options: [
      '--effective-from 2026-10-01         the first day on which they apply, until a later card',
      '[--customer ID]                     only for this customer, instead of the card for all',
      '[--dry-run]                         only shows what would change',
    ],
    run: async (...given) => (await import('./rate-card.js')).rateCardImport(...given),
  },
  {
    usage: 'rate-card list [--json]',
    does: 'Lists the rate cards, the latest first.',
    run: async (...given) => (await import('./rate-card.js')).rateCardList(...given),
  },
  {
    usage: 'rate-card remove ID',
    does: 'Removes a rate card. The card before it applies again to its days.',
    run: async (...given) => (await import('./rate-card.js')).rateCardRemove(...given),
  },
];
