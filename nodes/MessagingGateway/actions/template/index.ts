import type { Resource } from '../operation';
import { getMany } from './getMany.operation';

export const template: Resource = { value: 'template', name: 'Template', operations: [getMany] };
