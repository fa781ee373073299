import { notice } from '../../../fields';

/** The rule that surprises people most: whatever is not a template has a time limit. */
export const windowNotice = notice(
	'windowNotice',
	'This reaches contacts who wrote to you within the last 24 hours. For everyone else, set Message Type to Template, or choose a template in <b>Outside the 24 Hours</b>.',
);
