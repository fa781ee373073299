import type {
	IAuthenticateGeneric,
	IAuthenticateRuleResponseSuccessBody,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

/** Shows `message` when the answer to the test has this value in this field. */
const when = (key: string, value: unknown, message: string): IAuthenticateRuleResponseSuccessBody => ({
	type: 'responseSuccessBody',
	properties: { key, value, message },
});

/**
 * What n8n says when the test fails; the first one that fits. By the gateway's own words and not by HTTP status:
 * n8n 2.8 does not apply rules for statuses, and the words are more exact.
 */
const RULES = [
	when(
		'error_code',
		'invalid_token',
		'The gateway does not accept this token for this line. Check that Line is the one the token was made for, and that the token was copied whole and is not revoked.',
	),
	when(
		'error_code',
		'missing_token',
		'The token is empty. Paste the one that the gateway shows when it is made.',
	),
	when(
		'error_code',
		'line_inactive',
		'The token is right, but this line is switched off. Switch it on in the gateway: Lines, then the name of this line.',
	),
	when(
		'error_code',
		'api_disabled',
		'The token is right, but the API of this line is disabled. Enable it in the gateway: Lines, then the name of this line.',
	),
	when(
		'error_code',
		'rate_limited',
		'The gateway does not accept this token for this line, and got too many requests with a wrong one. Check Line and Token, then test again.',
	),
	when(
		'success',
		false,
		"The gateway answered, but could not tell the line's status. Test again in a minute.",
	),
	when(
		'success',
		undefined,
		'Something answers at this Base URL, but it is not a Messaging Gateway. Check the address.',
	),
];

/** One line of the gateway and its token. Both nodes use it: sending, and the trigger's own registration. */
export class MessagingGatewayApi implements ICredentialType {
	name = 'messagingGatewayApi';

	displayName = 'Messaging Gateway API';

	icon: Icon = {
		light: 'file:../nodes/MessagingGateway/messagingGateway.svg',
		dark: 'file:../nodes/MessagingGateway/messagingGateway.dark.svg',
	};

	documentationUrl = 'https://github.com/messaging-gateway/n8n-nodes-messaging-gateway#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: 'http://127.0.0.1:8080',
			placeholder: 'https://gateway.example.com',
			description:
				'Address of your gateway, without a path. If n8n runs in a container, 127.0.0.1 is the container itself: use the name or address of the machine that runs the gateway.',
			required: true,
		},
		{
			displayName: 'Line',
			name: 'line',
			type: 'string',
			default: '',
			placeholder: '106540352242922',
			description:
				'The tid of the line you send from: its phone number ID, or its number in the list of lines in the gateway',
			hint: 'Its phone number ID (not the telephone number), or its number in the list of lines',
			required: true,
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			placeholder: 'gwl_…',
			description: 'Opens this line of the gateway, and no other',
			hint: 'Starts with gwl_. The gateway shows it once, when it is made.',
			required: true,
		},
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'What your gateway signs forwarded events with. Only a trigger whose Registration is set to By Hand needs it.',
			hint: 'Leave it empty unless you enter the address of a trigger in the gateway by hand',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.token.trim()}}' } },
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl.trim().replace(/\\/+$/, "")}}',
			url: '=/api/v22.0/{{encodeURIComponent($credentials.line.trim())}}/status',
			ignoreHttpStatusErrors: true,
		},
		rules: RULES,
	};
}
