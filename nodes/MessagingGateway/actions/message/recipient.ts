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

/** Like `toField`, for operations that can send one message to several contacts. */
export const toFieldForSeveral: INodeProperties = {
	...toField,
	description: `${toField.description} To send the same message to several contacts, separate their numbers with commas. To write to a group, enter the groupId of the trigger's output.`,
};

/**
 * A number of 7 to 15 digits, or the user ID that the platform gives to contacts without a visible number.
 */
const NUMBER = /^(?:[\s()-]*\+)?[\s()-]*\d(?:[\s()-]*\d){6,14}[\s()-]*$/;
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$/;

/** Whether the recipient is a group ID, as in the platform's events and in `groupId` of the trigger. */
export const isGroup = (to: string): boolean => /^(?=.*[A-Za-z])[\w+/=-]{24,}$/.test(to);

/**
 * The entered recipients of the item, as text. Cached because lane and send both read them, and n8n takes
 * over a millisecond per expression.
 */
export const recipient = keptFor((item: Item) => item.text('to').trim());

/** Returns each recipient once; a single empty text if none was entered. */
export function recipients(item: Item): string[] {
	const byContact = new Map<string, string>();
	for (const one of listed(recipient(item), BETWEEN_CONTACTS).map(dialled))
		if (!byContact.has(sameContact(one))) byContact.set(sameContact(one), one);
	return byContact.size === 0 ? [''] : [...byContact.values()];
}

/**
 * Returns the item's only recipient, or refuses the item.
 * @param field label of the field in the panel
 */
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

/** Normalizes a recipient, so that every spelling of one contact is the same text. */
export const sameContact = (to: string): string => to.replace(/[\s()+-]/g, '');
