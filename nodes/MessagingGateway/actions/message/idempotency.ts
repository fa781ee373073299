import { createHash } from 'node:crypto';

import type { Item } from '../../item';

/**
 * Returns the same key for every try of the same item, so that neither Retry On Fail nor Retry in the list of
 * executions sends it twice. The next execution, loop round or agent call gets a new key. Every n8n numbers
 * its executions from 1, so the key also contains the instance and the start time.
 * @param part tells apart several messages of one item
 */
export function idempotencyKey(item: Item, part = ''): string {
	// Retry in the list starts another execution that loads the data of the failed one.
	const { context } = item;
	const kept = context.getContext('node');
	kept.execution ??= context.getExecutionId();
	const parts = [
		context.getInstanceId(),
		context.getWorkflow().id,
		kept.execution,
		context.getExecutionContext()?.establishedAt,
		context.getNode().id,
		context.getWorkflowDataProxy(item.index).$runIndex,
		item.index,
		...(part === '' ? [] : [part]),
	];
	return `n8n-${createHash('sha256').update(parts.join('|')).digest('hex').slice(0, 40)}`;
}
