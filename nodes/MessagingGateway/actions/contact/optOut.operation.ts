import { changesOptOut } from './optOutChange';

export const optOut = changesOptOut({
	value: 'optOut',
	name: 'Opt Out',
	action: 'Opt out contact',
	description:
		'Put a contact on the opt-out list of the line: nothing more is sent to it, apart from codes of authentication templates',
	request: (contact) => ({ method: 'POST', path: 'opt-outs', body: { contact } }),
	hasOptedOut: true,
});
