import type { Item } from '../../item';
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

	async execute(item: Item) {
		const chosen = item.parameter('template', '', { extractValue: true });
		const beside = item.parameter('templateLanguage', 'en_US');
		const { name, language } = templateKey(String(chosen ?? ''), String(beside ?? ''));
		if (name === '') {
			item.refuse('No template is chosen', 'Choose a template From List, or enter its name.');
		}
		const named = await templatesNamed.call(item.context, name, { itemIndex: item.index });
		const template = named.find((one) => one.language === language);
		if (!template) {
			const languages = named.map((one) => one.language);
			return item.refuse(
				`The line has no template "${name}" in the language ${language}`,
				languages.length > 0
					? `It has it in: ${languages.join(', ')}.`
					: 'Choose the template From List, or look at Template: Get Many for the names there are.',
			);
		}
		const simplify = item.parameter('simplify', true) as boolean;
		const fields = variablesOf(template).map(({ id, label, required }) => ({ id, label, required }));
		return [
			{
				json: { ...(simplify ? essentials(template) : template), fields },
			},
		];
	},
};
