import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { KnownLine } from './registration/lines';

/** An alert in the gateway's format; docs explain each field of `data`. */
interface AlertEvent {
	type?: unknown;
	data?: unknown;
}

interface Alert extends IDataObject {
	id?: string;
	what?: string;
	condition?: string;
	severity?: string;
	title?: string;
	text?: string;
	action?: string;
	since?: string;
	ended?: string | null;
	waiting?: number | null;
	count?: number;
	incidents?: Array<{ line?: { id?: number; name?: string; phone_number_id?: string } | null }>;
}

const HAPPENED: Record<string, string> = {
	opened: 'began',
	escalated: 'has become urgent',
	// eslint-disable-next-line texts/plain -- workflows compare it
	reminder: 'goes on',
	recovered: 'is over',
	test: 'test',
};

const URGENCY: Record<string, string> = { critical: 'Urgent', warning: 'Soon', info: 'Note' };

/** Converts an alert from the gateway to a flat item; empty for any other POST. */
export function alertItems(
	{ type, data }: AlertEvent,
	lineOf: (phoneNumberId?: string) => KnownLine,
): INodeExecutionData[] {
	if (typeof type !== 'string' || !type.startsWith('alert.') || typeof data !== 'object' || !data) return [];
	return [{ json: alertItem(data as Alert, lineOf) }];
}

function alertItem(alert: Alert, lineOf: (phoneNumberId?: string) => KnownLine): IDataObject {
	const { what = '', severity = '', title = '', text, action } = alert;
	const urgency = URGENCY[severity] ?? severity;
	const ownLine = alert.incidents?.[0]?.line;
	return {
		alertId: alert.id ?? null,
		happened: HAPPENED[what] ?? what,
		isOver: what === 'recovered',
		urgency,
		title,
		text: text || null,
		whatToDo: action || null,
		message: [
			what === 'recovered' ? `Over: ${title}` : `${urgency}: ${title}`,
			text,
			action && `What to do: ${action}`,
		]
			.filter(Boolean)
			.join('\n'),
		condition: alert.condition ?? null,
		since: alert.since ?? null,
		ended: alert.ended ?? null,
		waiting: alert.waiting ?? null,
		count: alert.count ?? null,
		lineName: ownLine?.name ?? null,
		line: ownLine?.id ?? lineOf(ownLine?.phone_number_id).id,
		phoneNumberId: ownLine?.phone_number_id ?? null,
		raw: alert,
	};
}
