import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { templateKey, templatesNamed, type Template, type TemplateKey } from '../templates/templates';

/**
 * Returns the selected template in the panel: its name (empty if none is selected) and the gateway's data.
 */
export async function chosenTemplate(
	this: ILoadOptionsFunctions,
	chosenIn: string,
	languageIn: string,
): Promise<{ wanted: TemplateKey; template: Template | undefined }> {
	const chosen = this.getNodeParameter(chosenIn, '', { extractValue: true });
	const beside = this.getNodeParameter(languageIn, 'en_US');
	const wanted = templateKey(String(chosen ?? ''), String(beside ?? ''));
	if (wanted.name === '') return { wanted, template: undefined };
	const named = await templatesNamed.call(this, wanted.name, { templateStatus: 'approved' });
	return { wanted, template: named.find(({ language }) => language === wanted.language) };
}
