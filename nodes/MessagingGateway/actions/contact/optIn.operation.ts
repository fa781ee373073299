import { changesOptOut } from './optOutChange';

export const optIn = changesOptOut({
	value: 'optIn',
	name: 'Opt In',
	action: 'Opt in contact',
	description: 'Take a contact off the opt-out list of the line. Do so only if the contact has asked for it.',
	request: (contact) => ({ method: 'DELETE', path: `opt-outs/${encodeURIComponent(contact)}` }),
	hasOptedOut: false,
});
