import {
	NodeApiError,
	NodeOperationError,
	sleep,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { holdsForTheWholeLine } from '../failures';
import { INVALID_ITEM, Item } from '../item';
import { lineOf, type Line } from '../line';
import type { Operation } from './operation';
import { delayAskedFor, paceOf, Waits, type Pace } from './pace';
import { operationOf } from './resources';

/**
 * Default number of lanes in parallel: half of the parallel file transfers that the gateway allows per line.
 */
const LANES_AT_ONCE = 10;

/** How often an item is retried after a required wait. At usual rates, the first retry succeeds. */
const MOST_WAITS = 20;

type NodeFailure = NodeApiError | NodeOperationError;
/** Results of an earlier try, by item and part, which a retry reuses. */
type DoneBefore = Record<string, INodeExecutionData[] | undefined>;
type Outcome = { done: INodeExecutionData[] } | { failure: NodeFailure };

/** One part of an item; most items have one part. */
interface Task {
	item: Item;
	part: number;
	/** The name of the part, if the operation names parts. */
	to?: string;
	outcome?: Outcome;
}

/**
 * Runs an operation for all items and their parts, even if some fail. The output keeps the order of the
 * input. After a Retry-After, the item waits and is retried. Only a refusal for the whole line (invalid
 * token, inactive line, overloaded gateway) ends the run early: the remaining items fail with the same
 * refusal, without a request.
 * With On Error set to continue, each failure becomes an output item with its error. Otherwise, the first
 * failure is thrown after all items were tried, with the number of successes. A model that uses the node as a
 * tool sees only the message of a thrown failure, so several messages always become items.
 */
export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = this.getInputData();
	const resource = this.getNodeParameter('resource', 0) as string;
	const operation = operationOf(resource, this.getNodeParameter('operation', 0) as string);
	if (!operation) {
		throw new NodeOperationError(this.getNode(), 'This operation does not exist', {
			description: 'Choose Resource and Operation again.',
		});
	}

	const count = operation.isForAllItems?.(new Item(this, 0)) ? Math.min(1, items.length) : items.length;
	const tries = this.getContext('node');
	const { isOnceOnly } = operation;
	const { retryOnFail } = this.getNode();
	// Retry in n8n's list starts another execution with the stored data of the failed one, so results of
	// once-only operations are stored without the execution ID.
	const execution = isOnceOnly ? '' : `${this.getExecutionId()}-`;
	const thisRun = `done-${execution}${this.getWorkflowDataProxy(0).$runIndex}`;
	const before = (tries[thisRun] ?? {}) as DoneBefore;
	const tasks = await carryOut.call(this, operation, count, before);

	if (isOnceOnly || retryOnFail) tries[thisRun] = doneIn(tasks);
	const { isTool } = new Item(this, 0);
	if (!this.continueOnFail() && !(isTool && tasks.length > 1)) throwFirstFailure(tasks, isTool);
	const output = tasks.flatMap((task) => {
		if ('failure' in task.outcome) return [errorItem(task.outcome.failure, task)];
		return isTool ? task.outcome.done.map(withoutRaw) : task.outcome.done;
	});
	// n8n looks only at the first item to decide on a retry. If it retries, the stored results are still
	// needed.
	if (!retryOnFail || output[0]?.json.error === undefined) delete tries[thisRun];
	return [output];
}

type Tried = Task & Required<Pick<Task, 'outcome'>>;

/** State shared by all items of one line. */
interface LineOfRun {
	/** Tasks by lane; each lane runs its tasks in order. */
	lanes: Map<string, Task[]>;
	pace: Pace;
	/** The refusal that applies to every item of the line. */
	refusal?: NodeApiError;
}

/** @param before results of an earlier try of this run, which are reused */
async function carryOut(
	this: IExecuteFunctions,
	operation: Operation,
	count: number,
	before: DoneBefore,
): Promise<Tried[]> {
	const waits = new Waits();
	const cancelled = this.getExecutionCancelSignal();

	const attempt = async (line: LineOfRun, { item, part }: Task): Promise<Outcome> => {
		for (let tries = 0; ; tries++) {
			await line.pace.turn();
			if (line.refusal) return { failure: notTried.call(this, line.refusal, item.index) };
			if (cancelled?.aborted)
				return {
					failure: item.failure('The run was stopped before this item', 'It was not sent.', 'stopped'),
				};
			try {
				const done = await operation.execute(item, part);
				return { done: done.map((output) => item.paired(output)) };
			} catch (error) {
				const failure = asNodeFailure.call(this, error, item.index);
				const response = failure instanceof NodeApiError ? failure.errorResponse : undefined;
				const delay = tries < MOST_WAITS ? delayAskedFor(response) : undefined;
				if (!delay) {
					if (failure instanceof NodeApiError && holdsForTheWholeLine(response)) line.refusal = failure;
					return { failure };
				}
				waits.add(delay.seconds, failure.message);
				if (delay.everyone) line.pace.hold(delay.seconds);
				else await sleep(delay.seconds * 1000);
			}
		}
	};

	const rate = operation.rate?.(new Item(this, 0));
	const lines = new Map<Line, LineOfRun>();
	const tasks: Task[] = [];
	for (let index = 0; index < count; index++) {
		const item = new Item(this, index);
		try {
			const named = await lineOf.call(this, index);
			const line = lines.get(named) ?? { lanes: new Map<string, Task[]>(), pace: paceOf(rate) };
			lines.set(named, line);
			const parts = operation.parts?.(item) ?? [undefined];
			for (const [part, to] of parts.entries()) {
				const done = before[nameOf({ item, part })];
				const task: Task = { item, part, ...(to && { to }), ...(done && { outcome: { done } }) };
				// Read before the task is added, because its expression may fail.
				const lane = operation.lane?.(item, part) ?? String(index);
				tasks.push(task);
				if (done) continue;
				const queue = line.lanes.get(lane);
				if (queue) queue.push(task);
				else line.lanes.set(lane, [task]);
			}
		} catch (error) {
			tasks.push({ item, part: 0, outcome: { failure: asNodeFailure.call(this, error, index) } });
		}
	}

	const carryOutLine = async (line: LineOfRun) => {
		// Runs one task alone, so that a wrong token is refused once and not by every lane.
		const [first] = line.lanes.values();
		const ahead = first?.shift();
		if (ahead) ahead.outcome = await attempt(line, ahead);

		const waiting = [...line.lanes.values()].values();
		const drain = async () => {
			for (const lane of waiting) {
				for (const task of lane) task.outcome = await attempt(line, task);
			}
		};
		await Promise.all(Array.from({ length: operation.atOnce ?? LANES_AT_ONCE }, drain));
	};
	await Promise.all([...lines.values()].map(carryOutLine));
	const hint = waits.told();
	if (hint) this.addExecutionHints({ message: hint, location: 'outputPane', type: 'info' });
	return tasks as Tried[];
}

/** Removes `raw`, which costs a model tokens without helping it. */
function withoutRaw({ json: { raw: _, ...json }, ...output }: INodeExecutionData): INodeExecutionData {
	return { ...output, json };
}

const nameOf = ({ item, part }: Pick<Task, 'item' | 'part'>): string => `${item.index}.${part}`;

const doneIn = (tasks: Tried[]): DoneBefore =>
	Object.fromEntries(
		tasks.flatMap((task) => ('done' in task.outcome ? [[nameOf(task), task.outcome.done]] : [])),
	);

function asNodeFailure(this: IExecuteFunctions, error: unknown, itemIndex: number): NodeFailure {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	const { description } = error as { description?: string };
	return new NodeOperationError(this.getNode(), error as Error, { itemIndex, description });
}

function notTried(this: IExecuteFunctions, refusal: NodeApiError, itemIndex: number): NodeFailure {
	const { message, description, httpCode } = refusal;
	const response = { ...refusal.errorResponse, message };
	return new NodeApiError(this.getNode(), response, {
		message,
		description: `Not tried, because an item before it met this: it holds for the whole line.\n${description ?? ''}`,
		httpCode: httpCode ?? undefined,
		itemIndex,
	});
}

function throwFirstFailure(tasks: Tried[], isTool: boolean): void {
	const failed = tasks.flatMap(({ item, to, outcome }) =>
		'failure' in outcome ? [{ item, to, failure: outcome.failure }] : [],
	);
	const [first] = failed;
	if (!first) return;
	const { failure } = first;
	if (tasks.length > 1) {
		const others = tasks.length - failed.length;
		const isInParts = tasks.some(({ part }) => part > 0);
		const failures = isInParts
			? `messages failed, those to: ${enumerate(failed.map(({ to = '' }) => to))}`
			: `items failed: ${enumerate(failed.map(({ item }) => item.index))}`;
		failure.description = [
			failure.description,
			`${failed.length} of ${tasks.length} ${failures}. ${others === 0 ? 'None' : others} went through.`,
			'To keep the results of those, set On Error in the settings of this node to Continue (using error output). Retry On Fail never sends the same message twice.',
		]
			.filter(Boolean)
			.join('\n');
	}
	if (isTool && failure.description) {
		failure.message = `${failure.message}. ${failure.description.replace(/\n/g, ' ')}`;
	}
	throw failure;
}

/** Lists the first ten entries. Items are counted from 0, as in n8n. */
function enumerate(several: Array<number | string>): string {
	const shown = several.slice(0, 10).join(', ');
	return several.length > 10 ? `${shown} and ${several.length - 10} more` : shown;
}

/**
 * n8n moves an item to the error output, with its input data, only if the item has just `error` and
 * `message`. With n8n's own `error` beside `json`, the item would be moved with its message only.
 */
function errorItem(failure: NodeFailure, { item, to }: Task): INodeExecutionData {
	const { message, description } = failure;
	return {
		json: {
			message,
			error: {
				message,
				description: description ?? null,
				...(to !== undefined && { to }),
				code: errorCode(failure) ?? null,
				platformCode: platformCode(failure) ?? null,
				httpCode: failure instanceof NodeApiError ? failure.httpCode : null,
			},
		},
		pairedItem: { item: item.index },
	};
}

/** Returns a stable error code that a workflow can branch on: the gateway's or the node's own. */
function errorCode(failure: NodeFailure): string | undefined {
	if (failure instanceof NodeApiError) return answerTo(failure).error_code;
	return (failure.context.code as string | undefined) ?? INVALID_ITEM;
}

/** Returns the platform's error code, such as 131026. */
const platformCode = (failure: NodeFailure): number | undefined =>
	failure instanceof NodeApiError ? answerTo(failure).error?.code : undefined;

const answerTo = ({ errorResponse }: NodeApiError) =>
	(errorResponse ?? {}) as { error_code?: string; error?: { code?: number } };
