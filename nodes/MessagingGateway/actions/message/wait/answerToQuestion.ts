import {
	ensureError,
	NodeApiError,
	type IDataObject,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { toItems, type Envelope } from '../../../trigger/events';
import { faultOfSignature } from '../../../trigger/signature';
import { webhookAnswer } from '../../../webhookAnswer';
import { askQuestion, asked, type Asking } from './gatewayQuestion';
import { valueOf } from './mustBe';
import { addressWith, progressIn, START, type Progress } from './progress';
import type { Step } from './question';
import type { Reply } from './reply';

/** What a waiting run knows of the questions that the gateway keeps for it. */
export interface KeptQuestion extends IDataObject {
	asking: Asking;
	steps: Step[];
	/** How often each is asked again. */
	askAgain: number;
	monthFirst: boolean;
	/** The beginning of every key of its questions. */
	key: string;
	/** What the gateway signs the answer to the first question with; of the others nothing is kept. */
	secret: string | null;
	/** What the progress in the addresses of the others is encrypted with. */
	progressKey: string;
}

/** The effect of an answer: the run continues with these fields, or waits for the next answer. */
type Outcome = { fields: IDataObject } | { next: Progress };

/**
 * The gateway sends the answer to one of the run's questions. The run continues with it. Or the next
 * question, or the same one again, is sent, and the run keeps waiting. If a question cannot be sent now, the
 * gateway gets a 503 and sends the same answer again.
 */
export async function receiveAnswerToQuestion(
	context: IWebhookFunctions,
	kept: KeptQuestion,
	waitsUntil: string,
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
	try {
		await askQuestion.call(context, {
			...kept.asking,
			...messageOf(kept, next),
			// From the time of the answer, so that the same answer asks the same.
			seconds: (Date.parse(waitsUntil) - Date.parse(String(reply.timestamp))) / 1000,
			url,
			key: `${kept.key}-${next.step}-${next.again}`,
		});
	} catch (error) {
		if (mayPass(error)) return webhookAnswer(context, 503, { error: ensureError(error).message });
		const { message: problem } = ensureError(error);
		return goesOn({ ...unanswered(kept, progress, 'notSent'), problem }, reply);
	}
	return { webhookResponse: { accepted: true } };
}

/** The gateway signs with a secret of the question. Only this run gives out later URLs. */
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

/** @param reason why the run continues without the answer */
function unanswered({ steps }: KeptQuestion, { step, answers }: Progress, reason: string): IDataObject {
	const { name } = steps[step] as Step;
	return { answered: false, reason, ...(name !== undefined && { answers, question: name }) };
}

function messageOf({ steps }: KeptQuestion, { step, again }: Progress) {
	const next = steps[step] as Step;
	return { ...asked(next), ...(again > 0 && next.again && { message: next.again }) };
}

/** A gateway that cannot be reached, or asks to wait; not one that refuses the message. */
function mayPass(error: unknown): boolean {
	if (!(error instanceof NodeApiError)) return false;
	const status = Number(error.httpCode);
	const { error_code: code } = (error.errorResponse ?? {}) as { error_code?: string };
	return (
		!(status >= 400 && status < 500) || [408, 429].includes(status) || code === 'idempotency_in_progress'
	);
}
