import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { MOST_TEMPLATES, listTemplates, pickerValue } from '../templates/templates';

/** Characters of a template's text in the list, after its name. */
const EXCERPT = 60;

/**
 * Searches templates by name, language or text.
 * @param templateStatus the required status; undefined for any
 */
const searchAmong = (templateStatus?: string) =>
	async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const wanted = filter.trim().toLowerCase();
		const listed = await listTemplates.call(this, { templateStatus, limit: MOST_TEMPLATES });
		const found = listed.data.filter(({ name, language, body }) =>
			`${name} ${language} ${body}`.toLowerCase().includes(wanted),
		);
		if (wanted !== '' && listed.data.length === MOST_TEMPLATES) {
			// The gateway lists a limited number of templates. A search by name finds the others.
			const name = wanted.replace(/\s+/g, '_');
			const { data } = await listTemplates.call(this, { templateStatus, name, limit: MOST_TEMPLATES });
			const known = new Set(found.map(pickerValue));
			found.push(...data.filter((template) => !known.has(pickerValue(template))));
		}
		const results = found.map((template) => ({
			name: `${template.name} (${template.language}): ${excerpt(template.body ?? '')}`,
			value: pickerValue(template),
		}));
		return { results };
	};

export const searchTemplates = searchAmong('approved');
export const searchAllTemplates = searchAmong();

function excerpt(body: string): string {
	const characters = Array.from(body.replace(/\s+/g, ' '));
	return characters.length > EXCERPT ? `${characters.slice(0, EXCERPT).join('')}…` : characters.join('');
}
