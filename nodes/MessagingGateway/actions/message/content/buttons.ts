import type { INodeProperties } from 'n8n-workflow';

import { several, textField } from '../../../fields';
import { textOf, type Item } from '../../../item';
import { LIMITS } from '../../../limits';
import { choiceFields, choicesFromData, type Choice } from './choices';
import { type Content } from './content';
import { bodyField, frame, idOrTitle, interactive } from './interactive';

/** The form for one to three buttons. */
const buttonsForm: INodeProperties = {
	displayName: 'Buttons',
	name: 'buttons',
	type: 'fixedCollection',
	...several('Add Button'),
	default: { button: [{ title: '', id: '' }] },
	description: 'One to three buttons, in this order',
	options: [
		{
			displayName: 'Button',
			name: 'button',
			values: [
				textField('Title', 'title', {
					required: true,
					placeholder: 'e.g. Tomorrow',
					description: 'What the contact reads on the button, up to 20 characters',
				}),
				textField('Reply ID', 'id', {
					placeholder: 'e.g. deliver_tomorrow',
					description:
						'What the Trigger gives you as replyId when the button is tapped. Empty: the same as the title.',
				}),
			],
		},
	],
};

export const buttonFields = choiceFields('button', buttonsForm);

export const buttons: Content = {
	value: 'buttons',
	name: 'Buttons',
	description: 'A text with up to three buttons; a tap comes back as an answer',
	action: 'Send reply buttons',
	fields: [bodyField, ...buttonFields],

	build(item: Item, options) {
		const replies = repliesOf(item, buttonsIn(item));
		return interactive('button', frame(item, options), {
			buttons: replies.map((reply) => ({ type: 'reply', reply })),
		});
	},
};

/** Returns the buttons from the data or from the form. */
export function buttonsIn(item: Item): Choice[] {
	const data = choicesFromData(item);
	if (data) return data;
	const { button = [] } = item.parameter('buttons', {}) as { button?: Choice[] };
	return button;
}

/** Returns the buttons for the request: limits checked, missing ids filled in. */
export function repliesOf(item: Item, entered: Choice[]): Array<{ id: string; title: string }> {
	if (entered.length === 0) {
		item.refuse('There are no buttons', 'Add one to three buttons, or choose another type.');
	}
	item.atMost('buttons', entered.length, LIMITS.buttons);
	const replies = entered.map((button, index) => {
		const field = `Title of button ${index + 1}`;
		const title = item.filled(field, textOf(button.title), LIMITS.buttonTitle);
		const id = idOrTitle(button.id, title);
		return { id: item.within(`Reply ID of button ${index + 1}`, id, LIMITS.buttonId), title };
	});
	const titles = replies.map(({ title }) => title);
	const ids = replies.map(({ id }) => id);
	item.distinct('button titles', titles);
	item.distinct('reply IDs', ids);
	return replies;
}
