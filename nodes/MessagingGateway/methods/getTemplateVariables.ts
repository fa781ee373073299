import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { variablesOf } from '../templates/templateVariables';
import { chosenTemplate } from './chosenTemplate';

/** The form of the selected template: one field per variable, labelled with the surrounding text. */
const formOf = (chosenIn: string, languageIn: string) =>
	async function (this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		const { wanted, template } = await chosenTemplate.call(this, chosenIn, languageIn);
		if (wanted.name === '') {
			return { fields: [], emptyFieldsNotice: 'Choose a template first; its variables appear here.' };
		}
		if (!template) {
			return {
				fields: [],
				emptyFieldsNotice: `No approved template "${wanted.name}" in the language ${wanted.language}. Choose another one From List.`,
			};
		}
		const fields = variablesOf(template).map(({ id, label, required }) => ({
			id,
			displayName: label,
			required,
			defaultMatch: false,
			canBeUsedToMatch: false,
			display: true,
			type: 'string' as const,
		}));
		return fields.length > 0
			? { fields }
			: { fields, emptyFieldsNotice: 'This template has no variables. It is sent as it is.' };
	};

export const getTemplateVariables = formOf('template', 'templateLanguage');
/** Like `getTemplateVariables`, for the fallback template. */
export const getFallbackVariables = formOf('fallbackTemplate', 'fallbackLanguage');
