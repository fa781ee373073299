import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../item';
import { checkedRecipient } from '../message/recipient';
import type { Operation } from '../operation';
import { contactField } from './contactField';

/** docs/api.md, "Look-ups". Only what the node reads. */
interface WindowAnswer extends IDataObject {
	last_inbound_at?: string | null;
	/** Not told by an older gateway. */
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
					// Not told by a gateway that has no opt-out list.
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

/** The platform's refusal for a number that is not on WhatsApp, or cannot get this message. */
const UNDELIVERABLE = 131026;

/**
 * Whether messages reach the number, if known: the platform has no look-up for that. Null if nothing was sent
 * yet, or no status came.
 */
function isReached({ last_inbound_at: wroteAt, last_sent: sent }: WindowAnswer): boolean | null {
	if (sent?.code === UNDELIVERABLE) return false;
	return wroteAt || ['delivered', 'read', 'played'].includes(String(sent?.state)) ? true : null;
}
