import { getFallbackVariables, getTemplateVariables } from './getTemplateVariables';
import { searchTemplates } from './searchTemplates';

export const methods = {
	listSearch: { searchTemplates },
	resourceMapping: { getTemplateVariables, getFallbackVariables },
};
