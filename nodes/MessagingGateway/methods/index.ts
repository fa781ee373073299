import { getFallbackVariables, getTemplateVariables } from './getTemplateVariables';
import { searchAllTemplates, searchTemplates } from './searchTemplates';
import { testCredential } from './testCredential';

export const methods = {
	credentialTest: { testCredential },
	listSearch: { searchTemplates, searchAllTemplates },
	resourceMapping: { getTemplateVariables, getFallbackVariables },
};
