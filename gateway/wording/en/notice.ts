import { type NoticeWords } from '../facts';

export const notice: NoticeWords = {
  urgency: {
    critical: 'Urgent',
    warning: 'Warning',
    info: 'Info',
    recovered: 'Over',
    test: 'Test',
    escalated: 'Now urgent',
    reminder: 'Still open',
  },
  since: (at) => `Since ${at}.`,
  lasted: (length, until) => `It lasted ${length}, until ${until}.`,
  waiting: (count, isMore, { number, plural }) =>
    isMore
      ? `${number(count)} or more deliveries are waiting.`
      : plural(count, '# delivery is waiting.', '# deliveries are waiting.'),
  noneWaiting: 'No delivery is waiting so far.',
  whatToDo: (action) => `What to do: ${action}`,
  andMore: (count) => `and ${count} more`,
  stillOpen: (count) => `${count} more are still open.`,
  late: (title) => `Not sent in time: ${title}.`,
  openPanel: 'Open the control panel',
  foot: (gateway) =>
    `Sent by the Messaging Gateway${gateway ? ` at ${gateway}` : ''}. Choose in its control panel, under Alerts, what is sent and where.`,
};
