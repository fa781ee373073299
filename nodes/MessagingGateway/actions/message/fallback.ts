import type { INodeProperties } from 'n8n-workflow';

import { notice } from '../../fields';
import type { Item } from '../../item';
import type { Template } from '../../templates/templates';
import type { Built } from './content/content';
import { templateFields, templateMessage, type TemplateFieldNames } from './content/template';
import { postInOrder, postMessage, type Message, type Posted } from './post';

const NAMES: TemplateFieldNames = {
	template: 'fallbackTemplate',
	language: 'fallbackLanguage',
	variables: 'fallbackVariables',
	method: 'getFallbackVariables',
	text: 'fallbackText',
	textMethod: 'getFallbackText',
};

const FALLBACK_LABELS: Record<string, string> = {
	Template: 'Template Instead',
	'Language Code': 'Language Code of the Template',
	Text: 'Text of the Template',
	Variables: 'Variables of the Template',
};

/**
 * What is sent to a contact who has not written within the last 24 hours.
 * @param advice how to reach these contacts, for the notice that is shown until a template is chosen
 */
export const fallbackFields = (advice: string): INodeProperties[] => [
	notice('windowNotice', `This reaches contacts who wrote to you within the last 24 hours. ${advice}`, {
		show: { outsideWindow: ['fail'] },
	}),
	{
		displayName: 'Outside the 24 Hours',
		name: 'outsideWindow',
		type: 'options',
		noDataExpression: true,
		default: 'fail',
		description:
			'What to do when the contact has not written within the last 24 hours: then only templates are delivered',
		options: [
			{ name: 'Fail', value: 'fail', description: 'Nothing is sent, and the node says so' },
			{
				name: 'Send a Template Instead',
				value: 'template',
				description: 'The template that you choose below goes out; the output says which of the two was sent',
			},
		],
	},
	...templateFields(NAMES).map((field) => withCondition(field)),
];

function withCondition(field: INodeProperties): INodeProperties {
	const { show, hide } = field.displayOptions ?? {};
	return {
		...field,
		displayName: FALLBACK_LABELS[field.displayName] ?? field.displayName,
		displayOptions: { show: { ...show, outsideWindow: ['template'] }, ...(hide && { hide }) },
	};
}

export const hasFallback = (item: Item): boolean => item.parameter('outsideWindow', 'fail') === 'template';

/** A message, and what may stand in for it. */
interface MessageOrTemplate extends Omit<Message, 'message' | 'orOutside'> {
	/** Makes the message, or the messages; it is not called where the template is known to be needed. */
	build: () => Built | Promise<Built>;
	canFallBack: boolean;
	/** Whether the gateway is asked for the window before; see `isKnownToBeOutside`. */
	asksFirst: boolean;
	/** Values of the template's variables that the form does not have. */
	given?: (template: Template | undefined) => Record<string, string>;
}

/** Sends a message, or where the window is closed and `canFallBack` the template that stands in for it. */
export async function postOrFallBack(
	item: Item,
	{ to, build, replyTo, clientRef, canFallBack, asksFirst, given, part = '' }: MessageOrTemplate,
): Promise<Posted & { usedFallback: boolean }> {
	const isOutside = canFallBack && asksFirst && (await isKnownToBeOutside(item, to));
	const posted = isOutside
		? undefined
		: await postInOrder(item, {
				to,
				messages: await build(),
				replyTo,
				clientRef,
				part,
				orOutside: canFallBack,
			});
	if (posted) return { ...posted, usedFallback: false };
	const message = await templateMessage(item, NAMES, given);
	const instead = await postMessage(item, { to, message, clientRef, part: `fallback${part}` });
	return { ...(instead as Posted), usedFallback: true };
}

/**
 * Whether it is known before the send that the window is closed. A text is refused by the gateway itself; other
 * kinds it may hand on, and the platform then reports a failure minutes later, when nothing can stand in any more.
 */
async function isKnownToBeOutside(item: Item, to: string): Promise<boolean> {
	const { open } = await item.ask({
		method: 'GET',
		path: `window/${encodeURIComponent(to)}`,
	});
	return open === false;
}
