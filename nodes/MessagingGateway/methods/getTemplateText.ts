import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import type { Template } from '../templates/templates';
import { chosenTemplate } from './chosenTemplate';

/**
 * What a contact reads of the chosen template, for the panel. A form without fields shows a notice in their place, which is
 * the one text of a panel that n8n asks a node for.
 */
const textOf = (chosenIn: string, languageIn: string) =>
	async function (this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		const { template } = await chosenTemplate.call(this, chosenIn, languageIn);
		return { fields: [], emptyFieldsNotice: template ? shown(template) : 'Its text is shown here.' };
	};

export const getTemplateText = textOf('template', 'templateLanguage');
/** The same for the template that is sent outside the window. */
export const getFallbackText = textOf('fallbackTemplate', 'fallbackLanguage');

/** The header, the text, the footer and the buttons, one below the other; gaps as the form names them. */
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
