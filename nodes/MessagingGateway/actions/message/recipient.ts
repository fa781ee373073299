import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { refuse } from '../../limits';
import { withoutPrefix } from '../../phoneNumber';
import { fieldText } from './content/content';

export const toField: INodeProperties = {
	displayName: 'To',
	name: 'to',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. +55 11 98765-4321',
	description:
		"The contact's number with country code. Spaces, brackets, dashes and a leading + or 00 are fine. To answer a message, drag its from here.",
};

/** Contract §4, "to": a number of at most 15 digits, or an id that the platform gives contacts who show none. */
const NUMBER = /^(?:[\s()-]*\+)?[\s()-]*\d(?:[\s()-]*\d){0,14}[\s()-]*$/;
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$/;

/** By run of the node and item. An expression costs n8n more than a millisecond each time, and lane and send both ask. */
const recipients = new WeakMap<IExecuteFunctions, Map<number, string>>();

/** Whom the item goes to, as it was entered. Numbers may come as numbers from a spreadsheet. */
export function recipient(context: IExecuteFunctions, itemIndex: number): string {
	const known = recipients.get(context) ?? new Map<number, string>();
	recipients.set(context, known);
	const to = known.get(itemIndex) ?? withoutPrefix(fieldText(context, itemIndex, 'to').trim());
	known.set(itemIndex, to);
	return to;
}

/** The same, or a refusal. @param field as the panel calls it */
export function checkedRecipient(context: IExecuteFunctions, itemIndex: number, field = 'To'): string {
	const to = recipient(context, itemIndex);
	if (to === '') {
		refuse(
			context,
			itemIndex,
			`${field} is empty`,
			"Enter the contact's number with country code. Who shows no number is reached by the fromUserId that the Trigger gives.",
		);
	}
	if (!NUMBER.test(to) && !USER_ID.test(to)) {
		refuse(
			context,
			itemIndex,
			`${field} is "${to.slice(0, 40)}", which is no telephone number`,
			'Enter the number with country code, such as +55 11 98765-4321.',
		);
	}
	return to;
}

/** One spelling for all of one contact. */
export const sameContact = (to: string): string => to.replace(/[\s()+-]/g, '');
