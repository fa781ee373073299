import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The same for every try of the same item, so that Retry On Fail never sends it twice; another one for the next
 * execution, the next round of a loop and the next call by an agent. n8n numbers executions from 1 on every
 * instance, so instance and start time are part of it.
 * @param part where one item may send several messages, which of them
 */
export function idempotencyKey(context: IExecuteFunctions, itemIndex: number, part = ''): string {
	const parts = [
		context.getInstanceId(),
		context.getWorkflow().id,
		context.getExecutionId(),
		context.getExecutionContext()?.establishedAt,
		context.getNode().id,
		context.getWorkflowDataProxy(itemIndex).$runIndex,
		itemIndex,
		...(part === '' ? [] : [part]),
	];
	return `n8n-${createHash('sha256').update(parts.join('|')).digest('hex').slice(0, 40)}`;
}
