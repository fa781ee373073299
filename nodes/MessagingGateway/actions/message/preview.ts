import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../item';
import { currentTemplate } from '../../templates/templates';

interface Part extends IDataObject {
	type?: string;
	parameters?: Array<{ text?: string; parameter_name?: string }>;
}

/**
 * Returns the text of a message as the contact reads it; for a template, the body with its values. Null if
 * the message has no text or the gateway does not list the template.
 */
export async function previewOf(item: Item, message: IDataObject): Promise<string | null> {
	const type = String(message.type);
	const content = (message[type] ?? {}) as IDataObject;
	switch (type) {
		case 'text':
			return textIn(content.body);
		case 'interactive':
			return textIn((content.body as IDataObject | undefined)?.text);
		case 'reaction':
			return textIn(content.emoji);
		case 'template':
			return await previewOfTemplate(item, content);
		default:
			return textIn(content.caption);
	}
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

async function previewOfTemplate(item: Item, sent: IDataObject): Promise<string | null> {
	const { name, language, components } = sent as {
		name: string;
		language: { code: string };
		components?: Part[];
	};
	const template = await currentTemplate(item, { name, language: language.code });
	if (!template) return null;
	const { parameters = [] } = components?.find(({ type }) => type === 'body') ?? {};
	return (template.body ?? '').replace(/\{\{\s*(\w+)\s*\}\}/g, (gap, variable: string) => {
		const named = parameters.find(({ parameter_name }) => parameter_name === variable);
		return (named ?? parameters[Number(variable) - 1])?.text ?? gap;
	});
}
