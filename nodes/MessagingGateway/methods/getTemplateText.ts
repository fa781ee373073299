import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import type { Template } from '../templates/templates';
import { chosenTemplate } from './chosenTemplate';

/**
 * Shows the text of the selected template in the panel. A form without fields shows a notice, the only panel
 * text that n8n requests from a node.
 */
const textOf = (chosenIn: string, languageIn: string) =>
	async function (this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		const { template } = await chosenTemplate.call(this, chosenIn, languageIn);
		return { fields: [], emptyFieldsNotice: template ? shown(template) : 'Its text is shown here.' };
	};

export const getTemplateText = textOf('template', 'templateLanguage');
/** Like `getTemplateText`, for the fallback template. */
export const getFallbackText = textOf('fallbackTemplate', 'fallbackLanguage');

/** Returns header, body, footer and buttons on separate lines; variables are named as in the form. */
function shown({ header, body, footer, buttons }: Template): string {
	const aboveText = header && (header.text ?? `[${header.type.toLowerCase()}]`);
	return [
		aboveText && `<b>${html(aboveText)}</b>`,
		html(body ?? ''),
		footer && `<i>${html(footer)}</i>`,
		buttons?.length && buttons.map(({ text }) => `[ ${html(text)} ]`).join(' '),
	]
		.filter(Boolean)
		.join('<br>');
}

const html = (text: string): string =>
	text
		.replace(/\{\{\s*(\w+)\s*\}\}/g, '[$1]')
		.replace(/&/g, '&amp;')
		.replace(/</g, '&lt;')
		.replace(/\n/g, '<br>');
