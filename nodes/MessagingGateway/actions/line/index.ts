import type { Resource } from '../operation';
import { getStatus } from './getStatus.operation';

export const line: Resource = { value: 'line', name: 'Line', operations: [getStatus] };
