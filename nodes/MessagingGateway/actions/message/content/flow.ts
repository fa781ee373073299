import { type IDataObject } from 'n8n-workflow';

import { textField } from '../../../fields';
import type { Item } from '../../../item';
import { isObject, jsonIn } from '../../../json';
import { LIMITS } from '../../../limits';
import type { SendOptions } from '../options';
import { type Content } from './content';
import { bodyField, frame, interactive } from './interactive';

export const flow: Content = {
	value: 'flow',
	name: 'Flow',
	description: 'A text with a button that opens a form made in the messaging platform',
	action: 'Send flow',
	fields: [
		{ ...bodyField, placeholder: 'e.g. Book your table here.' },
		textField('Button Label', 'flowLabel', {
			required: true,
			placeholder: 'e.g. Book a table',
			description: 'What the contact reads on the button, up to 30 characters',
		}),
		textField('Flow ID or Name', 'flow', {
			required: true,
			placeholder: 'e.g. 1234567890123456',
			description: 'The ID (digits) or the name that the flow has in the messaging platform',
		}),
	],

	build(item: Item, options) {
		const given = item.text('flow').trim();
		if (given === '') {
			item.refuse('Flow ID or Name is empty', 'Copy it from the flow in the messaging platform.');
		}
		const label = item.text('flowLabel');
		const { flowDraft, flowScreen, flowToken } = options;
		const data = flowData(item, options);
		return interactive('flow', frame(item, options), {
			name: 'flow',
			parameters: {
				flow_message_version: '3',
				[/^\d+$/.test(given) ? 'flow_id' : 'flow_name']: given,
				flow_cta: item.filled('Button Label', label, LIMITS.flowLabel),
				...(flowToken !== '' && { flow_token: flowToken }),
				...(flowDraft && { mode: 'draft' }),
				...(flowScreen !== '' && {
					flow_action: 'navigate',
					flow_action_payload: { screen: flowScreen, ...(data && { data }) },
				}),
			},
		});
	},
};

/** Returns the data for the flow's first screen; undefined if the option is empty. */
function flowData(item: Item, { flowData: text, flowScreen }: SendOptions): IDataObject | undefined {
	if (text.trim() === '') return undefined;
	if (flowScreen === '') {
		item.refuse('Flow Data has no screen to go to', 'Add the option First Screen.');
	}
	const data = jsonIn(text);
	if (!isObject(data)) {
		item.refuse('Flow Data is no JSON object', 'Enter an object, such as { "name": "Ana" }.');
	}
	return Object.keys(data).length > 0 ? data : undefined;
}
