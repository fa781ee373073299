import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestMethods,
	type IN8nHttpFullResponse,
	type JsonObject,
} from 'n8n-workflow';

import {
	gatewayFailure,
	notAGateway,
	sentencesOfSeveral,
	unreachable,
	withItsCause,
	type Sentences,
} from './failures';
import { isObject, jsonIn } from './json';
import { keptFor } from './kept';
import { CREDENTIAL, gatewayOf, isOfSeveralLines, lineOf, type GatewayCaller } from './line';
import { Turns } from './turns';

/** Error code for an answer that is not from a gateway. */
export const NOT_A_GATEWAY = 'not_a_gateway';

/** Longer than the gateway waits for the platform, so that the gateway's own answer always arrives first. */
const TIMEOUT_MS = 60_000;

export interface GatewayRequest {
	method: IHttpRequestMethods;
	/** The path after the line, such as `messages` or `destinations/12`. */
	path: string;
	/** Whether the path names an object of the platform, such as a file, instead of following a line. */
	isObject?: true;
	/** Whether the path is one of the management API, `/v1/`, which needs no line. */
	isManagement?: true;
	/** The line, if it is not that of the item. */
	line?: string;
	query?: IDataObject;
	/** `stream`: the answer is a file, read as a stream. */
	encoding?: 'stream';
	/** Plain objects are sent as JSON; bytes and streams unchanged, with their own headers. */
	body?: IDataObject | Buffer | object;
	headers?: Record<string, string>;
	/** For requests that can take longer than a minute. */
	timeoutMs?: number;
	/** The input item of this request: decides the line, and errors name it. */
	itemIndex?: number;
	/** Statuses that are not failures for this request, such as 404 when removing something. */
	alsoAccept?: number[];
	/** Refusals by `error_code` that the caller handles; the answer is returned instead of thrown. */
	expected?: string[];
	/** Sentences for refusals of this request, if more specific than the general ones. */
	sentences?: Sentences;
}

/**
 * Sends one request to the gateway and line of the credential. Returns the gateway's JSON object; throws a
 * NodeApiError that says what happened and what to do.
 */
export async function callGateway(this: GatewayCaller, request: GatewayRequest): Promise<IDataObject> {
	return await answerIn.call(this, await reached.call(this, request), request);
}

/** One message of a batch. */
export interface Posting {
	/** The Idempotency-Key. */
	key: string;
	message: IDataObject;
	itemIndex: number;
	/** See `GatewayRequest`. */
	expected: string[];
}

/**
 * Sends messages of one line in one request. The gateway answers each as if it were sent alone.
 * @returns answers in the same order, as from `callGateway`; `unknown` if the gateway has no such operation,
 * `too large` if a proxy rejected the size. Nothing was sent in both cases.
 */
export async function sendTogether(
	this: GatewayCaller,
	postings: Posting[],
): Promise<((index: number) => Promise<IDataObject>) | 'unknown' | 'too large'> {
	const messages = postings.map(({ key, message }) => ({ key, message }));
	const [first] = postings;
	const request = {
		method: 'POST',
		path: 'messages/batch',
		body: { messages },
		itemIndex: first?.itemIndex,
	} as const;
	let response: IN8nHttpFullResponse;
	try {
		response = await ask.call(this, request);
	} catch (error) {
		const cause = error as Error;
		return async (index) => {
			throw await noAnswer.call(this, cause, postings[index]?.itemIndex);
		};
	}
	const { statusCode, body } = response;
	const { results, error_code: code } = (isObject(body) ? body : {}) as BatchAnswer;
	if (statusCode === 413) return 'too large';
	if (!results && ([404, 405].includes(statusCode) || (statusCode === 400 && !code))) return 'unknown';
	return async (index) => {
		const { itemIndex, expected } = postings[index] ?? {};
		const result = results?.[index];
		const answer = result
			? { statusCode: result.status, headers: { 'retry-after': result.retry_after }, body: result.body }
			: response;
		return await answerIn.call(this, answer, { ...request, itemIndex, expected });
	};
}

/** The answer in docs/api.md, "Many messages". */
interface BatchAnswer {
	results?: Array<{ status: number; body: IDataObject; retry_after?: number }>;
	error_code?: string;
}

/** Like `callGateway`, for a file: returns its bytes as a stream. Any refusal is thrown. */
export async function openFile(
	this: GatewayCaller,
	request: Omit<GatewayRequest, 'encoding' | 'expected' | 'alsoAccept'>,
): Promise<ByteStream> {
	const response = await reached.call(this, { ...request, encoding: 'stream' });
	const content = response.body as unknown as ByteStream;
	if (response.statusCode >= 200 && response.statusCode < 300) return content;
	const said: Buffer[] = [];
	for await (const chunk of content) said.push(chunk as Buffer);
	const body = jsonIn(Buffer.concat(said).toString('utf8'));
	return (await answerIn.call(this, { ...response, body: body as IDataObject }, request)) as never;
}

export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/**
 * Returns the answer to a request, whatever its status.
 * @throws NodeApiError if no answer arrived, NodeOperationError if no request was made
 */
async function reached(this: GatewayCaller, request: GatewayRequest): Promise<IN8nHttpFullResponse> {
	try {
		return await ask.call(this, request);
	} catch (error) {
		throw await noAnswer.call(this, error as Error, request.itemIndex);
	}
}

async function noAnswer(
	this: GatewayCaller,
	error: Error,
	itemIndex?: number,
): Promise<NodeApiError | NodeOperationError> {
	// No request was made, for example because no line is chosen.
	if (error instanceof NodeOperationError) return error;
	const { baseUrl } = await gatewayOf.call(this, itemIndex);
	const { message, description } = unreachable(baseUrl, error);
	const response = { error_code: 'gateway_unreachable', message };
	return new NodeApiError(this.getNode(), response, { message, description, itemIndex });
}

/**
 * Parallel requests per run; n8n opens a connection for each. At 100 ms per answer, 40 requests make 400 a
 * second, where n8n itself becomes slower per item than the gateway.
 */
const REQUESTS_AT_ONCE = 40;

const turnsOfRun = keptFor((_run: GatewayCaller) => new Turns(REQUESTS_AT_ONCE));

async function ask(this: GatewayCaller, request: GatewayRequest): Promise<IN8nHttpFullResponse> {
	return await turnsOfRun(this).take(async () => await askNow.call(this, request));
}

/** Paths under `/api/v22.0`; everything else is under `/v22.0`. */
const PUBLISHED = ['messages', 'messages/batch', 'status', 'templates'];

/**
 * The only HTTP request of both nodes. Does not follow redirects, because a redirected POST arrives as a GET.
 * Passes the item's credential explicitly, because n8n would use the first item's credential for all.
 */
async function askNow(this: GatewayCaller, request: GatewayRequest): Promise<IN8nHttpFullResponse> {
	const { credential } = await gatewayOf.call(this, request.itemIndex);
	return (await this.helpers.httpRequestWithAuthentication.call(
		this,
		CREDENTIAL,
		{
			method: request.method,
			...(await addressOf.call(this, request)),
			body: request.body as IDataObject,
			headers: request.headers,
			...(request.encoding ? { encoding: request.encoding } : { json: true }),
			timeout: request.timeoutMs ?? TIMEOUT_MS,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		},
		{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: credential } },
	)) as IN8nHttpFullResponse;
}

/** Returns the URL and the query of a request. */
async function addressOf(
	this: GatewayCaller,
	{ path, query, isObject: namesObject, isManagement, itemIndex, line: given }: GatewayRequest,
): Promise<{ url: string; qs: IDataObject | undefined }> {
	if (isManagement) {
		const { baseUrl } = await gatewayOf.call(this, itemIndex);
		return { url: `${baseUrl}/v1/${path}`, qs: query };
	}
	const { baseUrl, line, credential } = await lineOf.call(this, itemIndex, given);
	if (namesObject) {
		// A token of one line names the line itself.
		const owner = isOfSeveralLines(credential) && { phone_number_id: line };
		return { url: `${baseUrl}/v22.0/${path}`, qs: owner ? { ...query, ...owner } : query };
	}
	const version = PUBLISHED.includes(path) ? 'api/v22.0' : 'v22.0';
	return { url: `${baseUrl}/${version}/${encodeURIComponent(line)}/${path}`, qs: query };
}

/** A token of several lines is also refused for a line outside its reach, so its refusal names the line. */
async function sentencesFor(
	this: GatewayCaller,
	{ isManagement, itemIndex, line, sentences }: GatewayRequest,
): Promise<Sentences | undefined> {
	const { credential } = await gatewayOf.call(this, itemIndex);
	if (isManagement || !isOfSeveralLines(credential)) return sentences;
	const named = await lineOf.call(this, itemIndex, line);
	return { ...sentencesOfSeveral(named.line), ...sentences };
}

/** Returns the JSON object of a success or of an expected refusal; throws any other answer. */
async function answerIn(
	this: GatewayCaller,
	{ statusCode, headers, body }: IN8nHttpFullResponse,
	request: GatewayRequest,
): Promise<IDataObject> {
	const { baseUrl } = await gatewayOf.call(this, request.itemIndex);
	const answer = isObject(body) ? withItsCause(body) : undefined;
	const isAccepted =
		(statusCode >= 200 && statusCode < 300) ||
		request.alsoAccept?.includes(statusCode) ||
		request.expected?.includes(String(answer?.error_code));
	if (answer && isAccepted) return answer;
	const failure =
		answer && 'error' in answer
			? gatewayFailure(statusCode, answer, await sentencesFor.call(this, request))
			: notAGateway(baseUrl, statusCode, headers);
	const retryAfter = Number(headers?.['retry-after']);
	const said = {
		error_code: NOT_A_GATEWAY,
		...(answer ?? {}),
		message: failure.message,
		...(retryAfter > 0 && { retry_after: retryAfter }),
	};
	throw new NodeApiError(this.getNode(), said as JsonObject, {
		message: failure.message,
		description: failure.description,
		httpCode: String(statusCode),
		itemIndex: request.itemIndex,
	});
}
