import type { INodeProperties } from 'n8n-workflow';

import { textField } from '../../fields';
import type { Item } from '../../item';
import { keptFor } from '../../kept';
import { BETWEEN_CONTACTS, dialled, shortened } from '../../phoneNumber';
import { listed } from '../../texts';

export const toField = textField('To', 'to', {
	required: true,
	placeholder: 'e.g. +55 11 98765-4321',
	hint: "With country code, such as +55 11 98765-4321. To reply to a contact, drag the trigger's “from” field here.",
	description:
		"The contact's number. Spaces, brackets, dashes and a leading + or 00 are fine, links such as wa.me/551… and whatsapp:+551… too. For a contact without a visible number, enter the fromUserId of the trigger's output.",
});

/** The same for operations that send one message to several. */
export const toFieldForSeveral: INodeProperties = {
	...toField,
	description: `${toField.description} To send the same message to several contacts, separate their numbers with commas. To write to a group, enter the groupId of the trigger's output.`,
};

/** A number of 7 to 15 digits, or an id that the platform gives contacts who show none. */
const NUMBER = /^(?:[\s()-]*\+)?[\s()-]*\d(?:[\s()-]*\d){6,14}[\s()-]*$/;
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$/;

/** The ID of a group, as the platform gives it and the Trigger gives it out as groupId. */
export const isGroup = (to: string): boolean => /^(?=.*[A-Za-z])[\w+/=-]{24,}$/.test(to);

/**
 * The recipients of the item, as entered; numbers may come as numbers. An expression costs n8n more than a
 * millisecond each time, and lane and send both need them.
 */
export const recipient = keptFor((item: Item) => item.text('to').trim());

/** All recipients, each once; one empty text if there is none. */
export function recipients(item: Item): string[] {
	const byContact = new Map<string, string>();
	for (const one of listed(recipient(item), BETWEEN_CONTACTS).map(dialled))
		if (!byContact.has(sameContact(one))) byContact.set(sameContact(one), one);
	return byContact.size === 0 ? [''] : [...byContact.values()];
}

/** The one whom the item goes to, or a refusal. @param field as the panel calls it */
export function checkedRecipient(item: Item, field = 'To'): string {
	return checked(item, dialled(recipient(item)), field);
}

/** The recipient, or a refusal if it is invalid. */
export function checked(item: Item, to: string, field = 'To'): string {
	if (to === '') {
		item.refuse(
			`${field} is empty`,
			"Enter the contact's number with country code. For a contact without a visible number, enter the fromUserId of the trigger's output.",
		);
	}
	const spreadsheet = shortened(field, to);
	if (spreadsheet) item.refuse(spreadsheet.problem, spreadsheet.next);
	if (!NUMBER.test(to) && !USER_ID.test(to)) {
		item.refuse(
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
