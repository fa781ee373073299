import type { INodeProperties } from 'n8n-workflow';

import { notice } from '../../fields';
import type { Item } from '../../item';
import type { Template } from '../../templates/templates';
import type { Built } from './content/content';
import { templateFields, templateMessage, type TemplateFieldNames } from './content/template';
import { isGroup } from './recipient';
import { postInOrder, type Message, type Messages, type Posted } from './post';

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
 * Fields for the fallback template, for contacts who have not written within the last 24 hours.
 * @param advice how to reach these contacts; shown until a template is chosen
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

/** A message and its fallback template. */
interface MessageOrTemplate extends Omit<Message, 'message' | 'orOutside'> {
	/** Builds the message or messages; not called if the window is known to be closed. */
	build: () => Built | Promise<Built>;
	canFallBack: boolean;
	/** Whether to look up the window before sending; see `isKnownToBeOutside`. */
	asksFirst: boolean;
	/** Values of template variables that the form does not contain. */
	given?: (template: Template | undefined) => Record<string, string>;
}

/** Sends a message. If the window is closed and `canFallBack`, sends its template instead. */
export async function postOrFallBack(
	item: Item,
	message: MessageOrTemplate,
): Promise<Posted & { usedFallback: boolean }> {
	const { posted, usedFallback } = await orFallBack(item, message, postInOrder);
	return { ...(posted as Posted), usedFallback };
}

/**
 * Like `postOrFallBack`, with another function for sending.
 * @param post returns undefined if the closed window forbids the message and `orOutside` is set
 */
export async function orFallBack<T>(
	item: Item,
	{ build, canFallBack, asksFirst, given, part = '', replyTo, ...message }: MessageOrTemplate,
	post: (item: Item, messages: Messages) => Promise<T | undefined>,
): Promise<{ posted: T | undefined; usedFallback: boolean }> {
	const isOutside = canFallBack && asksFirst && (await isKnownToBeOutside(item, message.to));
	const posted = isOutside
		? undefined
		: await post(item, { ...message, messages: await build(), replyTo, part, orOutside: canFallBack });
	if (posted) return { posted, usedFallback: false };
	const template = await templateMessage(item, NAMES, given);
	const instead = await post(item, { ...message, messages: template, part: `fallback${part}` });
	return { posted: instead, usedFallback: true };
}

/**
 * Looks up whether the window is closed. The gateway refuses only texts; for other kinds, the platform may
 * report the failure minutes later, too late for the template.
 */
async function isKnownToBeOutside(item: Item, to: string): Promise<boolean> {
	// Groups have no window.
	if (isGroup(to)) return false;
	const { open } = await item.ask({
		method: 'GET',
		path: `window/${encodeURIComponent(to)}`,
	});
	return open === false;
}
