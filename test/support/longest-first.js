const Sequencer = require('@jest/test-sequencer').default;

/** What takes a minute or so: begun last, one of them would run alone at the end. The first mostly waits. */
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

/** jest's own order, by duration or else by size, after those: a clean checkout knows no durations. */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
      return found < 0 ? LONGEST.length : found;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
