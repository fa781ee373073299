import type { Resource } from '../operation';
import { getWindow } from './getWindow.operation';

export const contact: Resource = { value: 'contact', name: 'Contact', operations: [getWindow] };
