import { NodeOperationError, type IDataObject } from 'n8n-workflow';

import { rowsFrom } from './actions/pages';
import { SCOPES_NEEDED, type Sentences } from './failures';
import { gatewayOf, isOfSeveralLines, type GatewayCaller } from './line';

/** Fields that the nodes read from a line of the management API. */
export interface TokenLine extends IDataObject {
	/** The number of the line in the gateway. */
	id: number;
	name: string;
	phone_number_id: string;
	phone_number: string;
}

const SENTENCES: Sentences = {
	invalid_token: {
		happened: 'The gateway does not accept this token',
		next: "Check in the gateway's control panel, under Admin tokens, that the token is not revoked or expired.",
		isWhole: true,
	},
	permission_missing: {
		happened: 'This token may not list its lines',
		next: SCOPES_NEEDED,
		isWhole: true,
	},
	not_found: {
		happened: 'This gateway is too old for tokens of several lines',
		next: 'Update it, or use the token of one line.',
		isWhole: true,
	},
};

/**
 * Returns the lines of a token, in the order of the gateway.
 * @throws NodeOperationError for the token of one line
 */
export async function linesOfToken(this: GatewayCaller): Promise<TokenLine[]> {
	const { credential } = await gatewayOf.call(this);
	if (!isOfSeveralLines(credential)) {
		// The lists of a panel show the message alone.
		throw new NodeOperationError(
			this.getNode(),
			'The token of this credential is for one line. Leave this field empty.',
			{
				description: 'To choose among several lines, use a credential with a token that starts with gwa_.',
			},
		);
	}
	const list = { path: 'lines', from: 'cursor', things: 'lines' };
	const lines = await rowsFrom.call(this, list, { isManagement: true, sentences: SENTENCES });
	return lines as TokenLine[];
}
