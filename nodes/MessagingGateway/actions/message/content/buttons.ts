import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { LIMITS, atMost, distinct, filled, refuse, within } from '../../../limits';
import { choiceFields, choicesFromData, type Choice } from './choices';
import { textOf, type Content } from './content';
import { bodyField, frame, idOrTitle } from './interactive';
import { windowNotice } from './windowNotice';

/** One to three buttons, as a form. */
const buttonsForm: INodeProperties = {
	displayName: 'Buttons',
	name: 'buttons',
	type: 'fixedCollection',
	typeOptions: {
		multipleValues: true,
		multipleValueButtonText: 'Add Button',
		sortable: true,
	},
	default: { button: [{ title: '', id: '' }] },
	placeholder: 'Add Button',
	description: 'One to three buttons, in this order',
	options: [
		{
			displayName: 'Button',
			name: 'button',
			values: [
				{
					displayName: 'Title',
					name: 'title',
					type: 'string',
					default: '',
					required: true,
					placeholder: 'e.g. Tomorrow',
					description: 'What the contact reads on the button, up to 20 characters',
				},
				{
					displayName: 'Reply ID',
					name: 'id',
					type: 'string',
					default: '',
					placeholder: 'e.g. deliver_tomorrow',
					description:
						'What the Trigger gives you as replyId when the button is tapped. Empty: the same as the title.',
				},
			],
		},
	],
};

export const buttonFields = choiceFields('button', buttonsForm);

export const buttons: Content = {
	value: 'buttons',
	name: 'Buttons',
	description: 'A text with up to three buttons; a tap comes back as an answer',
	fields: [windowNotice, bodyField, ...buttonFields],

	build(itemIndex, options) {
		const replies = repliesOf(this, itemIndex, buttonsIn(this, itemIndex));
		return {
			type: 'interactive',
			interactive: {
				type: 'button',
				...frame(this, itemIndex, options),
				action: { buttons: replies.map((reply) => ({ type: 'reply', reply })) },
			},
		};
	},
};

/** From the data, or as they were entered. */
export function buttonsIn(context: IExecuteFunctions, itemIndex: number): Choice[] {
	const data = choicesFromData(context, itemIndex);
	if (data) return data;
	const { button = [] } = context.getNodeParameter('buttons', itemIndex, {}) as { button?: Choice[] };
	return button;
}

/** The buttons with their limits checked, ids filled in. */
export function repliesOf(
	context: IExecuteFunctions,
	itemIndex: number,
	entered: Choice[],
): Array<{ id: string; title: string }> {
	if (entered.length === 0) {
		refuse(context, itemIndex, 'There are no buttons', 'Add one to three buttons, or choose another type.');
	}
	atMost(context, itemIndex, 'buttons', entered.length, LIMITS.buttons);
	const replies = entered.map((button, index) => {
		const field = `Title of button ${index + 1}`;
		const title = filled(context, itemIndex, field, textOf(button.title), LIMITS.buttonTitle);
		const id = idOrTitle(button.id, title);
		return { id: within(context, itemIndex, `Reply ID of button ${index + 1}`, id, LIMITS.buttonId), title };
	});
	distinct(
		context,
		itemIndex,
		'button titles',
		replies.map(({ title }) => title),
	);
	distinct(
		context,
		itemIndex,
		'reply IDs',
		replies.map(({ id }) => id),
	);
	return replies;
}
