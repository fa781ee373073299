import type { Resource } from '../operation';
import { get } from './get.operation';
import { getMany } from './getMany.operation';

export const template: Resource = {
	value: 'template',
	name: 'Template',
	operations: [get, getMany],
	first: getMany,
};
