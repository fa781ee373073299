import type { Item } from '../../../item';
import { isObject, jsonIn } from '../../../json';
import { type Content } from './content';

/** Properties that the node sets itself; the recipient comes from the field To. */
const OF_THE_NODE = ['messaging_product', 'recipient_type', 'to', 'recipient'];

const EXAMPLE = '{\n  "type": "text",\n  "text": { "body": "Hello" }\n}';

export const json: Content = {
	value: 'json',
	name: 'JSON',
	description: 'What the platform has and this list has not: paste an example of its documentation',
	fields: [
		{
			displayName: 'Message (JSON)',
			name: 'messageJson',
			type: 'json',
			default: EXAMPLE,
			required: true,
			hint: 'Whole, or from "type" on. A number in it is not used: the message goes to To above.',
			description:
				"A message as the platform's documentation writes it, whole or from its type on. The gateway says what is wrong with it before anything is sent.",
		},
	],

	build(item: Item) {
		const given = item.parameter('messageJson', '') as unknown;
		const message = typeof given === 'string' ? jsonIn(given) : given;
		if (!isObject(message)) {
			return item.refuse(
				'Message (JSON) is no JSON object',
				`Enter an object such as ${EXAMPLE.replace(/\s+/g, ' ')}. A comma too many or a missing quotation mark is enough to spoil it.`,
			);
		}
		const { type } = message;
		if (typeof type !== 'string' || !(type in message)) {
			return item.refuse(
				typeof type === 'string'
					? `Message (JSON) has the type "${type.slice(0, 40)}", but no "${type.slice(0, 40)}" with what is to be sent`
					: 'Message (JSON) has no "type"',
				`Compare it with this one: ${EXAMPLE.replace(/\s+/g, ' ')}.`,
			);
		}
		return Object.fromEntries(Object.entries(message).filter(([name]) => !OF_THE_NODE.includes(name)));
	},
};
