import type { INodeProperties } from 'n8n-workflow';

import { toField } from '../message/recipient';

/** The contact that an operation is about. */
export const contactField: INodeProperties = {
	...toField,
	displayName: 'Contact',
	hint: "With country code, such as +55 11 98765-4321, or drag the trigger's “from” field here",
	description:
		"The contact's number with country code, or the fromUserId that the Trigger gives. Spaces, brackets, dashes and a leading + or 00 are fine.",
};
