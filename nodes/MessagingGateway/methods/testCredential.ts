import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	isWebAddress,
	notAGateway,
	SCOPES_NEEDED,
	unreachable,
	withItsCause,
	type Failure,
} from '../failures';
import { isObject } from '../json';
import { addressIn, isOfSeveralLines } from '../line';

/** Messages for the gateway's refusals of a test with a line, by `error_code`. */
const SENTENCES: Record<string, string> = {
	invalid_token:
		'The gateway does not accept this token for this line. Check that Line is the one the token was made for, and that the token was copied whole and is not revoked.',
	missing_token: 'The token is empty. Paste the one that the gateway shows when it is made.',
	line_inactive:
		'The token is right, but this line is switched off. Switch it on in the gateway: Lines, then Settings of this line.',
	customer_suspended:
		'The token is right, but the customer of this line is suspended. Ask the operator of the gateway.',
	scope_missing:
		'The token is right, but it may not read. Make one in the gateway that may do everything: API tokens, then Generate token.',
	api_disabled:
		'The token is right, but the API of this line is disabled. Enable it in the gateway: Lines, then Settings of this line.',
};

/** Messages for the gateway's refusals of a test without a line, by `error_code`. */
const SENTENCES_WITHOUT_LINE: Record<string, string> = {
	...SENTENCES,
	invalid_token:
		'The gateway does not accept this token. Check that it was copied whole, and that it is not revoked or expired.',
	permission_missing: `The token is right, but it may not list its lines. ${SCOPES_NEEDED}`,
	not_found: 'This gateway is too old for tokens of several lines. Update it, or use the token of one line.',
};

const NO_STATUS = "The gateway answered, but could not read the line's status. Test again in a minute.";

const TIMEOUT_MS = 20_000;

const NO_LINE =
	"Line is empty. Enter the phone number ID of the token's line. Only a token of several lines, which starts with gwa_, needs none.";

const LINELESS =
	'The token is right, but it includes no line. Add a line to the customers or lines of the token.';

/** The request of a test, and what its answer means. */
interface Check {
	path: string;
	sentences: Record<string, string>;
	/** Returns the result for an answer of the gateway; undefined for a refusal. */
	resultOf(body: IDataObject): INodeCredentialTestResult | undefined;
}

/** Reads the line's status. */
const checkOfLine = (line: string): Check => ({
	path: `api/v22.0/${encodeURIComponent(line)}/status`,
	sentences: SENTENCES,
	resultOf: ({ success }) =>
		success === true ? { status: 'OK', message: 'The gateway accepts the token for this line' } : undefined,
});

/** Lists the lines of a token of several lines. */
const CHECK_OF_LINES: Check = {
	path: 'v1/lines?limit=1',
	sentences: SENTENCES_WITHOUT_LINE,
	resultOf({ data }) {
		if (!Array.isArray(data)) return undefined;
		return data.length > 0
			? { status: 'OK', message: 'The gateway accepts the token. Nodes choose among its lines.' }
			: failed(LINELESS);
	},
};

/**
 * Runs the credential test: reads the line's status with the token or, without a line, the token's lines.
 * n8n's declarative tests check only answers, and show an HTTP client's error if the gateway does not answer.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { baseUrl, line } = addressIn(data);
	if (!isWebAddress(baseUrl)) return failed(inOne(unreachable(baseUrl)));
	if (line === '' && !isOfSeveralLines(data)) return failed(NO_LINE);
	const { path, sentences, resultOf } = line === '' ? CHECK_OF_LINES : checkOfLine(line);
	// The only request function that n8n offers in a credential test.
	const { request } = this.helpers;
	let response: { statusCode: number; headers: IDataObject; body?: IDataObject };
	try {
		response = await request({
			method: 'GET',
			uri: `${baseUrl}/${path}`,
			headers: { Authorization: `Bearer ${String(data.token ?? '').trim()}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout: TIMEOUT_MS,
		});
	} catch (error) {
		return failed(inOne(unreachable(baseUrl, error as Error)));
	}
	const { statusCode, headers, body } = response;
	const result = isObject(body) ? resultOf(body) : undefined;
	if (result) return result;
	if (!isObject(body) || !('error' in body)) return failed(inOne(notAGateway(baseUrl, statusCode, headers)));
	return failed(sentences[String(withItsCause(body).error_code)] ?? NO_STATUS);
}

const failed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

const inOne = ({ message, description }: Failure): string => `${message}. ${description}`;
