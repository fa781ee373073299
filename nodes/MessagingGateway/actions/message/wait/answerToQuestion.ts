import {
	NodeApiError,
	type IDataObject,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { asError } from '../../../failures';
import { toItems, type Envelope } from '../../../trigger/events';
import { faultOfSignature } from '../../../trigger/signature';
import { webhookAnswer } from '../../../webhookAnswer';
import { askQuestion, asked, type Asking } from './gatewayQuestion';
import { valueOf } from './mustBe';
import { addressWith, progressIn, START, type Progress } from './progress';
import type { Step } from './question';
import type { Reply } from './reply';

/** Data of a waiting run about questions that the gateway stores. */
export interface KeptQuestion extends IDataObject {
	asking: Asking;
	steps: Step[];
	/** How often each question is asked again after an answer that is not accepted. */
	askAgain: number;
	monthFirst: boolean;
	/** Prefix of the keys of the run's questions. */
	key: string;
	/**
	 * The secret that signs the answer to the first question. Null before the question is sent. n8n stores no
	 * secrets of later questions.
	 */
	secret: string | null;
	/** Encrypts the progress in the URLs of later questions. */
	progressKey: string;
}

/** The effect of an answer: the run continues with these fields, or the next question is asked. */
type Outcome = { fields: IDataObject } | { next: Progress };

/**
 * Receives the answer to one of the run's questions. The run continues, or the next question (or the same one
 * again) is sent and the run keeps waiting. If sending fails for now, the 503 makes the gateway send the same
 * answer again.
 */
export async function receiveAnswerToQuestion(
	context: IWebhookFunctions,
	kept: KeptQuestion,
	{ waitsUntil, line }: { waitsUntil: string; line: string | undefined },
	goesOn: (fields: IDataObject, reply: Reply) => IWebhookResponseData,
): Promise<IWebhookResponseData> {
	const progress = progressIn(context, kept.progressKey);
	const fault = progress && (await faultOf(context, kept, progress));
	if (!progress || fault)
		return webhookAnswer(context, 401, { error: fault ?? 'This address is not of this run.' });

	const [message] = toItems(context.getBodyData() as Envelope).messages;
	const step = kept.steps[progress.step];
	if (!message || !step) return webhookAnswer(context, 410, { error: 'This is not an answer.' });
	const reply = message.json as Reply;
	const outcome = outcomeOf(context, kept, progress, reply);
	if ('fields' in outcome) return goesOn(outcome.fields, reply);

	const { next } = outcome;
	const url = addressWith(context, next, kept.progressKey) as string;
	const question = {
		...kept.asking,
		...messageOf(kept, next),
		// Counted from the time of the answer, so that a repeated answer sends an identical question.
		seconds: (Date.parse(waitsUntil) - Date.parse(String(reply.timestamp))) / 1000,
		url,
		key: `${kept.key}-${next.step}-${next.again}`,
	};
	try {
		await askQuestion.call(context, question, { line });
	} catch (error) {
		if (mayPass(error)) return webhookAnswer(context, 503, { error: asError(error).message });
		const { message: problem } = asError(error);
		return goesOn({ ...unanswered(kept, progress, 'notSent'), problem }, reply);
	}
	return { webhookResponse: { accepted: true } };
}

/**
 * Returns the fault of a signature; null if valid. Later URLs need no signature, because only this run issues
 * them.
 */
async function faultOf(
	context: IWebhookFunctions,
	{ secret }: KeptQuestion,
	progress: Progress,
): Promise<string | null> {
	if (!secret || progress !== START) return null;
	const request = context.getRequestObject();
	if (!request.rawBody) await request.readRawBody();
	return faultOfSignature(
		[secret],
		request.rawBody ?? Buffer.alloc(0),
		context.getHeaderData() as IDataObject,
	);
}

function outcomeOf(
	context: IWebhookFunctions,
	kept: KeptQuestion,
	progress: Progress,
	reply: Reply,
): Outcome {
	const { mustBe, name } = kept.steps[progress.step] as Step;
	const dates = { monthFirst: kept.monthFirst, timeZone: context.getTimezone() };
	const value = mustBe ? valueOf(mustBe, reply, dates) : null;
	if (value !== undefined) {
		const isLast = progress.step === kept.steps.length - 1;
		const answers = { ...progress.answers, ...(name !== undefined && { [name]: value as IDataObject }) };
		if (isLast) {
			const given = name === undefined ? mustBe && { value: value as IDataObject } : { answers };
			return { fields: { answered: true, reason: null, ...given } };
		}
		const next = { step: progress.step + 1, again: 0, answers };
		if (addressWith(context, next, kept.progressKey)) return { next };
	}
	if (progress.again < kept.askAgain) return { next: { ...progress, again: progress.again + 1 } };
	return { fields: unanswered(kept, progress, 'notUnderstood') };
}

/** The fields if the run continues without an answer to its open question. */
function unanswered({ steps }: KeptQuestion, { step, answers }: Progress, reason: string): IDataObject {
	const { name } = steps[step] as Step;
	return { answered: false, reason, ...(name !== undefined && { answers, question: name }) };
}

function messageOf({ steps }: KeptQuestion, { step, again }: Progress) {
	const next = steps[step] as Step;
	return { ...asked(next), ...(again > 0 && next.again && { message: next.again }) };
}

/** Whether sending can succeed later: the gateway cannot be reached or asks to wait. */
function mayPass(error: unknown): boolean {
	if (!(error instanceof NodeApiError)) return false;
	const status = Number(error.httpCode);
	const { error_code: code } = (error.errorResponse ?? {}) as { error_code?: string };
	return (
		!(status >= 400 && status < 500) || [408, 429].includes(status) || code === 'idempotency_in_progress'
	);
}
