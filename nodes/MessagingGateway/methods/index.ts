import { getFallbackVariables, getTemplateVariables } from './getTemplateVariables';
import { searchAllTemplates, searchTemplates } from './searchTemplates';

export const methods = {
	listSearch: { searchTemplates, searchAllTemplates },
	resourceMapping: { getTemplateVariables, getFallbackVariables },
};
