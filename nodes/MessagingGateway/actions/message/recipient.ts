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
	hint: "With country code, such as +55 11 98765-4321. To answer who wrote, drag the trigger's field “from” here.",
	description:
		"The contact's number. Spaces, brackets, dashes and a leading + or 00 are fine. A contact who shows no number is reached by the fromUserId that the Trigger gives.",
};

/** The same where one message may go to several. */
export const toFieldForSeveral: INodeProperties = {
	...toField,
	description: `${toField.description} Several numbers with commas between get the same message, each in a chat of its own.`,
};

/** Contract §4, "to": a number of at most 15 digits, or an id that the platform gives contacts who show none. */
const NUMBER = /^(?:[\s()-]*\+)?[\s()-]*\d(?:[\s()-]*\d){0,14}[\s()-]*$/;
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$/;

/** By run of the node and item. An expression costs n8n more than a millisecond each time, and lane and send both ask. */
const entered = new WeakMap<IExecuteFunctions, Map<number, string>>();

/** Whom the item goes to, as it was entered. Numbers may come as numbers from a spreadsheet. */
export function recipient(context: IExecuteFunctions, itemIndex: number): string {
	const known = entered.get(context) ?? new Map<number, string>();
	entered.set(context, known);
	const to = known.get(itemIndex) ?? withoutPrefix(fieldText(context, itemIndex, 'to').trim());
	known.set(itemIndex, to);
	return to;
}

/** All of them where there are several, each once; one empty text where there is none. */
export function recipients(context: IExecuteFunctions, itemIndex: number): string[] {
	const listed = recipient(context, itemIndex)
		.split(/[,;\n]/)
		.map((one) => withoutPrefix(one.trim()))
		.filter((one) => one !== '');
	const byContact = new Map<string, string>();
	for (const one of listed) if (!byContact.has(sameContact(one))) byContact.set(sameContact(one), one);
	return byContact.size === 0 ? [''] : [...byContact.values()];
}

/** The one whom the item goes to, or a refusal. @param field as the panel calls it */
export function checkedRecipient(context: IExecuteFunctions, itemIndex: number, field = 'To'): string {
	return checked(context, itemIndex, recipient(context, itemIndex), field);
}

/** The recipient, or a refusal where it cannot be one. */
export function checked(context: IExecuteFunctions, itemIndex: number, to: string, field = 'To'): string {
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
			/[,;\n]/.test(to)
				? 'Enter one number: here there can be only one contact.'
				: 'Enter the number with country code, such as +55 11 98765-4321.',
		);
	}
	return to;
}

/** One spelling for all of one contact. */
export const sameContact = (to: string): string => to.replace(/[\s()+-]/g, '');
