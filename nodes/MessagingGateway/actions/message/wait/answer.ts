import type { IDataObject, IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { toItems, type Envelope } from '../../../trigger/events';
import { sameContact } from '../recipient';
import { stopListening } from './listen';
import type { Choice, ResponseType } from './question';
import { receiveAnswerToQuestion, type KeptQuestion } from './answerToQuestion';
import { whoAndWhen, type Reply } from './reply';
import { readResumeId, runOf } from './resumeId';

/**
 * The URL where a waiting run receives its answer. POST only, because link previews and robots send GET
 * requests.
 */
export const sendAndWaitWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		responseData: '',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	},
];

/**
 * Data of a waiting run about its question: the output after the time limit, and the input of
 * `receiveAnswer`.
 */
export interface Waiting extends IDataObject {
	answered: false;
	reason: 'timeLimit';
	messageId: string;
	to: string;
	waId: string | null;
	/** The text of the question. */
	text: string | null;
	/** The number of the line in the gateway, and its phone number ID. */
	line?: number | null;
	phoneNumberId?: string | null;
	waitsUntil: string;
	waiting: {
		responseType: ResponseType;
		alsoAccept?: string[];
		choices: Choice[];
		destinationId: string | null;
		/** The questions, if the gateway stores them. */
		question?: KeptQuestion;
	};
}

/**
 * Handles a request to the URL of a waiting run, which only its addressees know. If the gateway supports
 * questions, the request is the answer. Otherwise it is an answer from our trigger, with the choice in the
 * signed URL; or, if no trigger listens, any message of the line in the platform's envelope.
 * A request that does not answer the question leaves the run waiting. n8n itself refuses forged URLs and
 * requests to a run that has continued.
 */
export async function receiveAnswer(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const asked = waitingRun(this);
	const { question: kept } = asked.waiting;
	if (kept) {
		const of = { waitsUntil: asked.waitsUntil, line: lineIn(asked) };
		return await receiveAnswerToQuestion(this, kept, of, (fields, reply) =>
			goesOn(asked, { ...answerOf(reply, asked), ...whoAndWhen(reply), ...fields }),
		);
	}
	const answer = answerTo(this, asked);
	if (!answer || new Date(asked.waitsUntil) < new Date()) return { webhookResponse: { accepted: false } };

	const { waiting } = asked;
	if (waiting.destinationId) {
		// The answer counts even if the gateway cannot be reached: the destination expires on its own.
		await stopListening.call(this, waiting.destinationId, lineIn(asked)).catch(() => undefined);
	}
	return goesOn(asked, { ...answer, answered: true, reason: null });
}

function goesOn({ waiting: _, ...question }: Waiting, answer: IDataObject): IWebhookResponseData {
	const json = { ...question, ...answer };
	return { webhookResponse: { accepted: true }, workflowData: [[{ json, pairedItem: { item: 0 } }]] };
}

/**
 * Returns the stored question of the run. A question asked by an earlier version of this node is stored in
 * its item.
 */
function waitingRun(context: IWebhookFunctions): Waiting {
	const item = context.evaluateExpression('{{ $json }}', 0) as unknown as Waiting;
	// Braces would end the expression.
	const name = JSON.stringify(context.getNode().name).replace(/[{}]/g, (brace) =>
		brace === '{' ? '\\u007b' : '\\u007d',
	);
	const kept = item.waiting ?? context.evaluateExpression(`{{ $node[${name}].context.waiting }}`, 0);
	return { ...item, waiting: kept as Waiting['waiting'] };
}

/**
 * Returns the line that asked. An expression in Line has no value when the answer arrives. Undefined if an
 * earlier version of this node did not store it.
 */
function lineIn({ line, phoneNumberId }: Waiting): string | undefined {
	const asked = phoneNumberId ?? line;
	return asked === undefined || asked === null ? undefined : String(asked);
}

function answerTo(context: IWebhookFunctions, asked: Waiting): IDataObject | undefined {
	const body = context.getBodyData() as Envelope & Reply;
	if (Array.isArray(body.entry)) {
		for (const { json } of toItems(body).messages) {
			const answer = isFromTheContact(json as Reply, asked) && answerIn(context, json as Reply, asked);
			if (answer) return answer;
		}
		return undefined;
	}
	const { choice } = context.getQueryData() as { choice?: string };
	return choice === undefined ? undefined : chosen(body, asked, Number(choice));
}

function isFromTheContact({ from, fromUserId }: Reply, { to, waId }: Waiting): boolean {
	const expected = [waId, sameContact(to)].filter(Boolean);
	return [from, fromUserId].some((sender) => sender && expected.includes(sender));
}

function answerIn(context: IWebhookFunctions, reply: Reply, asked: Waiting): IDataObject | undefined {
	if (asked.waiting.responseType !== 'freeText') {
		const resume = readResumeId(reply.replyId);
		const isForThisRun = resume?.run === runOf(context.getRequestObject().path);
		return resume && isForThisRun ? chosen(reply, asked, resume.choice) : undefined;
	}
	if (!areOwnWords(reply, asked)) return undefined;
	const text = reply.text ?? reply.replyTitle ?? null;
	const kind = reply.kind ?? 'unknown';
	if (!text && !asked.waiting.alsoAccept?.includes(kind)) return undefined;
	return { ...said(reply), ...whoAndWhen(reply) };
}

/** The fields of an answer in the contact's own words, or with a file. */
function said(reply: Reply): IDataObject {
	const text = reply.text ?? reply.replyTitle ?? null;
	const { kind = 'unknown', media = null, location = null } = reply;
	return { answer: text, answerTitle: text, answerKind: kind, media, location };
}

/** The fields of the answer to a question that the gateway stores. */
function answerOf(reply: Reply, asked: Waiting): IDataObject {
	const { choices } = asked.waiting;
	if (choices.length === 0) return said(reply);
	const index = choices.findIndex(({ id }) => id === reply.replyId);
	return chosen(reply, asked, index) ?? {};
}

/** False for a system notice, a reaction to another message, or the answer to another waiting question. */
function areOwnWords({ kind, contextId, replyId }: Reply, { messageId }: Waiting): boolean {
	if (kind === 'system' || readResumeId(replyId)) return false;
	return kind !== 'reaction' || contextId === messageId;
}

function chosen(reply: Reply, { waiting }: Waiting, index: number): IDataObject | undefined {
	const choice = waiting.choices[index] as Choice | undefined;
	if (!choice) return undefined;
	return {
		answer: choice.id,
		answerTitle: reply.replyTitle ?? reply.title ?? choice.title,
		...(waiting.responseType === 'approval' && { approved: index === 0 }),
		...whoAndWhen(reply),
	};
}
