import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

/**
 * `isPlain` is true for a credential without expressions, which is the same for all items of a run. n8n does
 * not report whether a credential has expressions, and reading one takes over a millisecond. `&` reads a
 * field of this credential as it was entered. `anExpression` detects an n8n that resolves expressions first;
 * without that proof, the credential is read for every item.
 */
const markOfPlainCredentials: INodeProperties[] = [
	{ displayName: 'An Expression', name: 'anExpression', type: 'hidden', default: '={{ true }}' },
	{
		displayName: 'Is Plain',
		name: 'isPlain',
		type: 'hidden',
		default:
			'={{ ["anExpression", "baseUrl", "line", "token"].filter((field) => String($rawParameter["&" + field]).startsWith("=")).join() === "anExpression" }}',
	},
];

/** A token of the gateway, for one line or for several. Both nodes use it, also to register triggers. */
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
			description: 'Address of your gateway, without a path',
			hint: 'If n8n runs in a container, 127.0.0.1 is the container itself: enter the name or address of the machine that runs the gateway',
			required: true,
		},
		{
			displayName: 'Line',
			name: 'line',
			type: 'string',
			default: '',
			placeholder: '106540352242922',
			description: 'The line that you send from. Its number in the gateway, such as 1, works as well.',
			hint: "The phone number ID, not the phone number. The gateway's control panel shows it beside a new token. Leave it empty for a token of several lines: then the nodes choose the line.",
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			placeholder: 'gwl_… or gwa_…',
			description: 'Gives access to one line of the gateway, or to several',
			hint: "For one line it starts with gwl_: create it in the gateway's control panel under API tokens, with Generate token. For several lines it starts with gwa_: create it under Admin tokens. It is shown only once.",
			required: true,
		},
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'The secret that your gateway signs forwarded events with. Only a trigger whose Registration is set to By Hand needs it.',
			hint: 'Leave this empty unless you enter the address of a trigger in the gateway by hand',
		},
		...markOfPlainCredentials,
	];

	/**
	 * A function instead of an expression, which n8n would evaluate again for every request, at over a
	 * millisecond each.
	 */
	async authenticate(
		{ token }: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const headers = { ...request.headers, Authorization: `Bearer ${String(token).trim()}` };
		return { ...request, headers };
	}
}
