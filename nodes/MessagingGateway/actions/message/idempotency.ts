import { createHash } from 'node:crypto';

import type { Item } from '../../item';

/**
 * The same for every try of the same item, so that neither Retry On Fail nor Retry in the list of executions
 * sends it twice; a new one for the next execution, the next round of a loop and the next call by an agent.
 * n8n numbers executions from 1 on every instance, so the instance and the start time are part of it.
 * @param part which message, if one item may send several
 */
export function idempotencyKey(item: Item, part = ''): string {
	// Retry in the list makes another execution, which continues with what the failed one has stored.
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
