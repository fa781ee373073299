import type { Item } from '../../item';
import { checkedRecipient } from '../message/recipient';
import type { Operation } from '../operation';
import { contactField } from './contactField';
import { pauseItem } from './pauseAutomation.operation';

export const resumeAutomation: Operation = {
	value: 'resumeAutomation',
	name: 'Resume Automation',
	action: 'Resume automation for contact',
	description: 'End the pause of a contact: its next message starts workflows again',
	fields: [contactField],

	async execute(item: Item) {
		const contact = checkedRecipient(item, 'Contact');
		const path = `automation-pauses/${encodeURIComponent(contact)}`;
		return [pauseItem(await item.ask({ method: 'DELETE', path }))];
	},
};
