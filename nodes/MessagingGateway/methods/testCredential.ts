import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { isWebAddress, notAGateway, unreachable, withItsCause, type Failure } from '../failures';
import { addressIn } from '../line';

/** Messages for the gateway's refusals of a credential test, by `error_code`. */
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

const NO_STATUS = "The gateway answered, but could not read the line's status. Test again in a minute.";

const TIMEOUT_MS = 20_000;

/**
 * Runs the credential test: reads the line's status with the token. n8n's declarative tests check only
 * answers, and show an HTTP client's error if the gateway does not answer.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { baseUrl, line } = addressIn(data);
	if (!isWebAddress(baseUrl)) return failed(inOne(unreachable(baseUrl)));
	// The only request function that n8n offers in a credential test.
	const { request } = this.helpers;
	let response: { statusCode: number; headers: IDataObject; body?: IDataObject };
	try {
		response = await request({
			method: 'GET',
			uri: `${baseUrl}/api/v22.0/${encodeURIComponent(line)}/status`,
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
	if (typeof body?.success !== 'boolean') return failed(inOne(notAGateway(baseUrl, statusCode, headers)));
	if (body.success) return { status: 'OK', message: 'The gateway accepts the token for this line' };
	return failed(SENTENCES[String(withItsCause(body).error_code)] ?? NO_STATUS);
}

const failed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

const inOne = ({ message, description }: Failure): string => `${message}. ${description}`;
