import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Item } from '../../item';
import { checkedRecipient } from '../message/recipient';
import type { Operation } from '../operation';
import { contactField } from './contactField';

/** One year. */
const MOST_HOURS = 8760;

export const pauseAutomation: Operation = {
	value: 'pauseAutomation',
	name: 'Pause Automation',
	action: 'Pause automation for contact',
	description:
		'Leave a contact to your team: triggers that ignore paused contacts start no run for its messages',
	fields: [
		contactField,
		{
			displayName: 'Hours',
			name: 'hours',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: MOST_HOURS, numberPrecision: 0 },
			default: 0,
			hint: 'Enter 0 to pause until someone resumes',
			description:
				'For how long automation pauses. It can be resumed earlier, by Resume Automation or in the control panel of the gateway.',
		},
	],

	async execute(item: Item) {
		const contact = checkedRecipient(item, 'Contact');
		const hours = hoursOf(item);
		const answer = await item.ask({
			method: 'POST',
			path: 'automation-pauses',
			body: { contact, ...(hours > 0 && { hours }) },
		});
		return [pauseItem(answer)];
	},
};

/** Returns the hours. An empty value, for example from an expression, counts as 0. */
function hoursOf(item: Item): number {
	const given = item.text('hours').trim();
	const hours = Number(given);
	if (Number.isInteger(hours) && hours >= 0 && hours <= MOST_HOURS) return hours;
	return item.refuse(
		`Hours is "${given.slice(0, 40)}"`,
		`Enter a whole number of hours up to ${MOST_HOURS}, or 0 to pause until someone resumes.`,
	);
}

/** The gateway's pause state of a contact as an output item. */
export const pauseItem = (answer: IDataObject): INodeExecutionData => ({
	json: {
		contact: answer.contact,
		isPaused: answer.paused,
		pausedUntil: answer.until,
		raw: answer,
	},
});
