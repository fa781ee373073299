import { LIMITS, atMost, distinct, filled, refuse, within } from '../../../limits';
import { textOf, type Content } from './content';
import { bodyField, frame, idOrTitle } from './interactive';
import { windowNotice } from './windowNotice';

interface Button {
	title?: unknown;
	id?: unknown;
}

export const buttons: Content = {
	value: 'buttons',
	name: 'Buttons',
	description: 'A text with up to three buttons; a tap comes back as an answer',
	fields: [
		windowNotice,
		bodyField,
		{
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
		},
	],

	build(itemIndex, options) {
		const { button: entered = [] } = this.getNodeParameter('buttons', itemIndex, {}) as { button?: Button[] };
		if (entered.length === 0) {
			refuse(
				this,
				itemIndex,
				'There are no buttons',
				'Add one to three buttons, or set Message Type to Text.',
			);
		}
		atMost(this, itemIndex, 'buttons', entered.length, LIMITS.buttons);
		const replies = entered.map((button, index) => {
			const field = `Title of button ${index + 1}`;
			const title = filled(this, itemIndex, field, textOf(button.title), LIMITS.buttonTitle);
			const id = within(
				this,
				itemIndex,
				`Reply ID of button ${index + 1}`,
				idOrTitle(button.id, title),
				LIMITS.buttonId,
			);
			return { id, title };
		});
		distinct(
			this,
			itemIndex,
			'button titles',
			replies.map(({ title }) => title),
		);
		distinct(
			this,
			itemIndex,
			'reply IDs',
			replies.map(({ id }) => id),
		);
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
