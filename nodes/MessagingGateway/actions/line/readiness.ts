import type { IDataObject } from 'n8n-workflow';

/** Fields of docs/api.md, "Status of a line", that decide whether the line can send. */
interface LineStatus {
	connected?: boolean | null;
	state?: string;
	/** Missing from gateways of earlier versions. */
	health?: string;
	line?: { is_active?: boolean; api_enabled?: boolean };
	platform?: {
		quality_rating?: string | null;
		has_credentials?: boolean;
		platform_status?: string | null;
		name_status?: string | null;
	};
}

export const SWITCHED_OFF =
	'The line is switched off. Switch it on in the control panel: Lines, then Settings of this line.';
export const SUSPENDED = 'The customer of this line is suspended. Ask the operator of the gateway.';
export const API_OFF =
	'The API of the line is switched off. Switch it on in the control panel: Lines, then Settings of this line.';

/** What stops a line that the platform may still report as connected. */
const STOPPED: Record<string, string> = {
	credentials_refused:
		"The messaging platform refuses the line's access token. The operator of the gateway enters a new one in the control panel: Lines, then Settings of this line.",
	account_restricted:
		'The messaging platform restricts the business account of this line. Look at it in the account of the platform.',
	not_registered:
		'The number is not registered with the messaging platform. Register it in the control panel, on the page of this line.',
	no_payment_method:
		'The business account has no payment method, so the messaging platform delivers no messages that cost money. Add one in the account of the platform.',
};

/**
 * Whether the line can send now, with one sentence per obstacle. A line without a status from the platform
 * counts as ready.
 */
export function readiness(answer: IDataObject): { ready: boolean; reasons: string[] } {
	const { connected, state, health = '', line, platform } = answer as LineStatus;
	const stopped = STOPPED[health];
	const reasons = [
		line?.is_active === false && SWITCHED_OFF,
		line?.api_enabled === false && API_OFF,
		platform?.has_credentials === false &&
			'The gateway has no access to the messaging platform for this line yet. The operator of the gateway enters the access token of the platform in the control panel: Lines, then Settings of this line.',
		stopped,
		!stopped &&
			state === 'pending' &&
			'The messaging platform has not finished setting up this number. Look at it in the account of the platform.',
		!stopped &&
			connected === false &&
			state !== 'pending' &&
			platform?.has_credentials !== false &&
			`The messaging platform says that this number is not connected${platform?.platform_status ? ` (${platform.platform_status})` : ''}. Look at it in the account of the platform.`,
		platform?.quality_rating === 'LOW' &&
			'The quality of the line is low, because contacts blocked or reported it. Nothing is sent until it recovers. Send fewer messages, and only to contacts who asked for them.',
	].filter((reason) => typeof reason === 'string');
	return { ready: reasons.length === 0, reasons };
}
