import { getFallbackText, getTemplateText } from './getTemplateText';
import { getFallbackVariables, getTemplateVariables } from './getTemplateVariables';
import { searchAllTemplates, searchTemplates } from './searchTemplates';
import { testCredential } from './testCredential';

export const methods = {
	credentialTest: { testCredential },
	listSearch: { searchTemplates, searchAllTemplates },
	resourceMapping: { getTemplateText, getFallbackText, getTemplateVariables, getFallbackVariables },
};
