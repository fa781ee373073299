const Sequencer = require('@jest/test-sequencer').default;

/**
 * Tests of about a minute. They start first, because a long test that starts last would run alone at the end.
 */
const LONGEST = [
  'n8n/real-n8n',
  'forwarding/order-in-races',
  'gateway/proofs',
  'forwarding/dispatcher',
  'forwarding/dead-destination',
  'forwarding/order-across-processes',
  'panel/attacks',
  'panel/phone/phone',
  'panel/account/log-in',
  'migrations/schemas',
  'panel/lines/lines',
  'cli/quick-start',
  'panel/events/events',
  'lines/polling',
];

/** After these, jest's own order: by duration or, without known durations, by size. */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
      return found < 0 ? LONGEST.length : found;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
