import { getFallbackText, getTemplateText } from './getTemplateText';
import { getFallbackVariables, getTemplateVariables } from './getTemplateVariables';
import { searchLines } from './searchLines';
import { searchAllTemplates, searchTemplates } from './searchTemplates';
import { testCredential } from './testCredential';

export const methods = {
	credentialTest: { testCredential },
	listSearch: { searchLines, searchTemplates, searchAllTemplates },
	resourceMapping: { getTemplateText, getFallbackText, getTemplateVariables, getFallbackVariables },
};
