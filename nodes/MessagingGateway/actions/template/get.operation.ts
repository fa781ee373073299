import { refuse } from '../../limits';
import { templateKey, templatesNamed } from '../../templates/templates';
import { variablesOf } from '../../templates/templateVariables';
import type { Operation } from '../operation';
import { essentials, simplifyField } from './simplify';
import { templateLocator } from './templateLocator';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get template',
	description: 'Get one template with its text, its variables and its approval status',
	fields: [...templateLocator, simplifyField],

	async execute(itemIndex) {
		const chosen = this.getNodeParameter('template', itemIndex, '', { extractValue: true });
		const beside = this.getNodeParameter('templateLanguage', itemIndex, 'en_US');
		const { name, language } = templateKey(String(chosen ?? ''), String(beside ?? ''));
		if (name === '') {
			refuse(this, itemIndex, 'No template is chosen', 'Choose a template From List, or enter its name.');
		}
		const named = await templatesNamed.call(this, name, { itemIndex });
		const template = named.find((one) => one.language === language);
		if (!template) {
			const languages = named.map((one) => one.language);
			return refuse(
				this,
				itemIndex,
				`The line has no template "${name}" in the language ${language}`,
				languages.length > 0
					? `It has it in: ${languages.join(', ')}.`
					: 'Choose the template From List, or look at Template: Get Many for the names there are.',
			);
		}
		const simplify = this.getNodeParameter('simplify', itemIndex, true) as boolean;
		const fields = variablesOf(template).map(({ id, label, required }) => ({ id, label, required }));
		return [
			{
				json: { ...(simplify ? essentials(template) : template), fields },
				pairedItem: { item: itemIndex },
			},
		];
	},
};
