import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import { contact } from './contact';
import { line } from './line';
import { media } from './media';
import { message } from './message';
import type { Operation, Resource } from './operation';
import { template } from './template';

/** Every resource of the node, in the order of the Resource field. */
export const resources: Resource[] = [contact, line, media, message, template];

export function operationOf(resource: string, operation: string): Operation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
}

/** The Operation field of one resource, and the fields of its operations. */
export function fieldsOf({ value: resource, operations, first }: Resource): INodeProperties[] {
	const { value: initial } = first ?? operations[0];
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: operations.map(({ value, name, action, description }) => ({
				value,
				name,
				action,
				description,
			})),
			default: initial,
		},
		...operations.flatMap(({ value, fields }) =>
			updateDisplayOptions({ show: { resource: [resource], operation: [value] } }, fields),
		),
	];
}
