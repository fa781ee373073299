import type { Resource } from '../operation';
import { send } from './send.operation';

export const message: Resource = { value: 'message', name: 'Message', operations: [send] };
