import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../item';
import { checkedRecipient } from '../message/recipient';
import type { Operation } from '../operation';
import { contactField } from './contactField';

/** Fields that the node reads from the answer in docs/api.md, "Look-ups". */
interface WindowAnswer extends IDataObject {
	last_inbound_at?: string | null;
	/** Undefined with an older gateway. */
	last_sent?: { at: string | null; state: string; code: number | null } | null;
}

export const getWindow: Operation = {
	value: 'getWindow',
	name: 'Get Window',
	action: 'Check number and window of contact',
	description:
		'Check a number: whether it may be written to freely now and until when, whether it has opted out, and whether messages reach it',
	fields: [contactField],

	async execute(item: Item) {
		const contact = checkedRecipient(item, 'Contact');
		const answer = (await item.ask({
			method: 'GET',
			path: `window/${encodeURIComponent(contact)}`,
		})) as WindowAnswer;
		return [
			{
				json: {
					contact: answer.contact,
					isOpen: answer.open,
					lastMessageAt: answer.last_inbound_at,
					closesAt: answer.expires_at,
					// Null if the gateway has no opt-out list.
					hasOptedOut: answer.opted_out ?? null,
					isReached: isReached(answer),
					lastSentAt: answer.last_sent?.at ?? null,
					lastSentStatus: answer.last_sent?.state ?? null,
					raw: answer,
				},
			},
		];
	},
};

/** The platform's error code for a number that is not on WhatsApp or cannot receive this message. */
const UNDELIVERABLE = 131026;

/**
 * Whether the contact receives messages. The platform has no look-up for that, so the last status decides.
 * Null if nothing was sent yet or no status arrived.
 */
function isReached({ last_inbound_at: wroteAt, last_sent: sent }: WindowAnswer): boolean | null {
	if (sent?.code === UNDELIVERABLE) return false;
	return wroteAt || ['delivered', 'read', 'played'].includes(String(sent?.state)) ? true : null;
}
