import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../../../item';
import { lineOf } from '../../../line';
import { hasFallback, orFallBack, postOrFallBack } from '../fallback';
import { idempotencyKey } from '../idempotency';
import { sendOptions } from '../options';
import { OUTSIDE, postedBy, referenceOf, type Messages, type Posted } from '../post';
import type { Waiting } from './answer';
import type { KeptQuestion } from './answerToQuestion';
import { askQuestion, asked } from './gatewayQuestion';
import { listen, stopListening, triggerListens } from './listen';
import { newKey } from './progress';
import { payloadsOf, type Question } from './question';
import { resumeIds } from './resumeId';

/** The contact, the question and the waiting time. */
interface Asked {
	to: string;
	question: Question;
	seconds: number;
}

/** Refusals from a gateway that has no such operation. */
const UNKNOWN = ['not_found', 'method_not_allowed'];

/** Refusal while another question to the contact is open. */
const OPEN = 'question_open';

/**
 * Asks a question that the gateway stores; the gateway sends the answer only to this run. Undefined if the
 * gateway is too old for questions or another question to the contact is open.
 */
export async function askByQuestion(item: Item, of: Asked): Promise<Waiting | undefined> {
	const { to, question, seconds } = of;
	const { context } = item;
	const { ifOpen, alsoForward = false } = item.parameter('options', {}) as IDataObject;
	const isTapped = question.choices.length > 0;
	const kept: KeptQuestion = {
		asking: {
			contact: to,
			replaces: ifOpen === 'replace' || (!isTapped && ifOpen !== 'fail'),
			alsoForward: alsoForward === true,
		},
		steps: question.steps,
		askAgain: Number(item.parameter('askAgain', 0)),
		monthFirst: item.parameter('options.dateOrder', '') === 'monthFirst',
		// Retry in the list of executions starts another run, which must receive the answer itself.
		key: idempotencyKey(item, `question-${context.getExecutionId()}`),
		secret: null,
		progressKey: newKey(),
	};
	await refuseUnreadableCredential(item, kept);

	const [first] = question.steps;
	// A tap names its message, so taps work even while another question to the contact is open.
	const expected = isTapped && ifOpen === undefined ? [...UNKNOWN, OPEN] : UNKNOWN;
	const post = async (_: Item, { messages, clientRef = '', part = '', orOutside }: Messages) => {
		const message = messages as IDataObject;
		const isTemplate = message.type === 'template';
		const answer = await askQuestion.call(
			context,
			{
				...kept.asking,
				...asked(first),
				...(isTemplate && !isTapped && { accepts: [...new Set([...first.accepts, 'button'])], taps: [] }),
				message: { ...message, ...referenceOf(item, clientRef) },
				seconds,
				url: context.getSignedResumeUrl(),
				key: part === '' ? kept.key : `${kept.key}-${part}`,
			},
			{ expected: orOutside ? [...expected, OUTSIDE] : expected, itemIndex: item.index },
		);
		if (answer.error_code === OUTSIDE) return undefined;
		if (answer.error_code) return 'otherwise';
		kept.secret = answer.secret ?? null;
		const sent = { ...answer, chat_message_id: answer.message_id };
		return { ...(await postedBy(item, { to, message }, sent)), questionId: answer.id ?? null };
	};
	const { posted, usedFallback } = await orFallBack(
		item,
		{
			...whatToSend(item, question, to),
			build: () => first.message,
			given: (template) => payloadsOf(item, template, isTapped ? first.taps : []),
		},
		post,
	);
	if (posted === undefined || posted === 'otherwise') return undefined;
	return waitingFor(item, of, { ...posted, usedFallback }, { destinationId: null, question: kept });
}

/**
 * Refuses a credential with expressions: later questions are sent when an answer arrives, and expressions
 * have no value then.
 */
async function refuseUnreadableCredential(item: Item, { steps, askAgain }: KeptQuestion): Promise<void> {
	const [first, ...others] = steps;
	const asksMore = others.length > 0 || (first?.mustBe !== undefined && askAgain > 0);
	const { credential } = await lineOf.call(item.context, item.index);
	if (asksMore && credential.isPlain !== true) {
		item.refuse(
			'With expressions in the credential, this node can ask one question once',
			'Choose a credential without expressions, or set Ask Again (Times) to 0 and use a node for each question. Nothing was sent.',
		);
	}
}

/**
 * Asks through a gateway without questions. Each button id contains the URL of this run, and our trigger
 * sends the tap there. For free text, or if no trigger listens, the gateway sends every message of the line
 * to this run.
 */
export async function askByAddress(item: Item, of: Asked): Promise<Waiting> {
	const { to, question, seconds } = of;
	const { responseType, choices, oldWay } = question;
	if (!oldWay) {
		return item.refuse(
			'This gateway is too old to check answers, or to ask several questions',
			'Have it updated, or set Response Type to Free Text and Answer Must Be to Anything. Nothing was sent.',
		);
	}
	const ids = resumeIds(item, choices.length, oldWay.longestId);
	const isPassedOn = responseType !== 'freeText' && (await triggerListens(item));
	const destinationId = isPassedOn ? null : await listen(item, seconds);
	let asked: Waiting;
	try {
		const posted = await postOrFallBack(item, {
			...whatToSend(item, question, to),
			build: () => oldWay.message(ids),
			given: (template) => payloadsOf(item, template, ids),
		});
		asked = waitingFor(item, of, posted, { destinationId });
	} finally {
		// `asked` is set only after the question was sent. A failure here is ignored, because the original error
		// matters and the destination expires on its own.
		if (destinationId && !asked!)
			await stopListening.call(item.context, destinationId).catch(() => undefined);
	}
	return asked;
}

const whatToSend = (item: Item, { steps }: Question, to: string) => ({
	to,
	clientRef: sendOptions(item).clientRef,
	canFallBack: hasFallback(item),
	// The gateway itself refuses a text outside the window.
	asksFirst: steps[0].message.type !== 'text',
});

/** The output if no answer arrives in time, with the data that the waiting run needs. */
function waitingFor(
	item: Item,
	{ question, seconds }: Asked,
	{ sent, more, usedFallback, questionId }: Posted & { usedFallback: boolean; questionId?: string | null },
	of: Pick<Waiting['waiting'], 'destinationId' | 'question'>,
): Waiting {
	const { responseType, alsoAccept, choices, steps } = question;
	const isSeveral = responseType === 'questions';
	return {
		answered: false,
		reason: 'timeLimit',
		answer: null,
		answerTitle: null,
		...(responseType === 'approval' && { approved: false }),
		...(choices.length === 0 && { answerKind: null, media: null, location: null }),
		...(isSeveral ? { answers: {} } : steps[0].mustBe && { value: null }),
		from: null,
		fromUserId: null,
		name: null,
		answerMessageId: null,
		answeredAt: null,
		...sent,
		...(questionId !== undefined && { questionId }),
		line: more.line,
		phoneNumberId: more.phoneNumberId,
		...(hasFallback(item) && { usedFallback }),
		waitsUntil: new Date(Date.now() + seconds * 1000).toISOString(),
		waiting: { responseType, ...(alsoAccept && { alsoAccept }), choices, ...of },
	};
}
