import {
	SEND_AND_WAIT_OPERATION,
	updateDisplayOptions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { textField } from '../fields';

import { getOptedOut } from './contact/getOptedOut.operation';
import { getWindow } from './contact/getWindow.operation';
import { optIn } from './contact/optIn.operation';
import { optOut } from './contact/optOut.operation';
import { pauseAutomation } from './contact/pauseAutomation.operation';
import { resumeAutomation } from './contact/resumeAutomation.operation';
import { getStatus } from './line/getStatus.operation';
import { deleteFile } from './media/delete.operation';
import { download } from './media/download.operation';
import { upload } from './media/upload.operation';
import { get as getMessage } from './message/get.operation';
import { getMany as getMessages } from './message/getMany.operation';
import { markAsRead } from './message/markAsRead.operation';
import { send } from './message/send.operation';
import { sendAndWait } from './message/sendAndWait.operation';
import type { Operation, Resource } from './operation';
import { get as getTemplate } from './template/get.operation';
import { getMany as getTemplates } from './template/getMany.operation';

/**
 * All resources in the order of the Resource field, each with its operations in the order of the Operation
 * field.
 */
export const resources: Resource[] = [
	{
		value: 'contact',
		name: 'Contact',
		operations: [getOptedOut, getWindow, optIn, optOut, pauseAutomation, resumeAutomation],
		first: getWindow,
	},
	{ value: 'line', name: 'Line', operations: [getStatus] },
	{ value: 'media', name: 'Media', operations: [deleteFile, download, upload], first: download },
	{
		value: 'message',
		name: 'Message',
		operations: [getMessage, getMessages, markAsRead, send, sendAndWait],
		first: send,
	},
	{ value: 'template', name: 'Template', operations: [getTemplate, getTemplates], first: getTemplates },
];

/**
 * Descriptions of operations for a model that uses the node as a tool. Without these fields, n8n would
 * generate "Send message in Messaging Gateway". Send and Wait needs none, because it is a human review and
 * not a tool.
 */
export const toolDescriptions: INodeProperties[] = resources.flatMap(({ value: resource, operations }) =>
	operations
		.filter(({ value }) => value !== SEND_AND_WAIT_OPERATION)
		.map((operation) =>
			textField('Tool Description', 'toolDescription', {
				displayOptions: { show: { '@tool': [true], resource: [resource], operation: valuesOf(operation) } },
				default: operation.forModels ?? `WhatsApp: ${operation.description}.`,
				required: true,
				typeOptions: { rows: 3 },
				description: 'What the model reads about this tool: what it does, and when to use it',
			}),
		),
);

export function operationOf(resource: string, operation: string): Operation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find((one) => valuesOf(one).includes(operation));
}

/** Returns the operation's value and the values of its presets. */
function valuesOf({ value, presets }: Operation): string[] {
	return [value, ...(presets?.operations ?? []).map((preset) => preset.value)];
}

/** The Operation field of one resource. */
export function operationFieldOf({ value: resource, operations, first }: Resource): INodeProperties {
	const { value: initial } = first ?? operations[0];
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: operations
			.flatMap((operation) => [operation, ...(operation.presets?.operations ?? [])])
			.map(({ value, name, action, description }) => ({ value, name, action, description }))
			.sort((one, other) => one.name.localeCompare(other.name)),
		default: initial,
	};
}

/** The fields of a resource's operations. */
export function fieldsOf({ value: resource, operations }: Resource): INodeProperties[] {
	const shownFor = (operation: string[], field: INodeProperties) =>
		updateDisplayOptions({ show: { resource: [resource], operation } }, [field]);
	return operations.flatMap((operation) => {
		const { value, fields, presets } = operation;
		return fields.flatMap((field) =>
			field.name === presets?.field
				? [
						...shownFor([value], field),
						...presets.operations.flatMap((one) => shownFor([one.value], presetField(field, one.preset))),
					]
				: shownFor(valuesOf(operation), field),
		);
	});
}

/**
 * A hidden field with the preset field's name, so that dependent fields work without knowing about presets.
 * The single option makes n8n drop a value from before the operation changed.
 */
const presetField = ({ displayName, name }: INodeProperties, preset: INodePropertyOptions): INodeProperties =>
	textField(displayName, name, { type: 'hidden', default: preset.value, options: [preset] });
