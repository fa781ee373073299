import type { IHookFunctions, INodeProperties } from 'n8n-workflow';

import { textField } from '../fields';
import { textOf } from '../item';

export interface OfficeHours {
	hours?: {
		pass?: 'within' | 'outside';
		days?: string[];
		from?: string;
		to?: string;
		timeZone?: string;
	};
}

const WORKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
const DAYS = [...WORKDAYS, 'saturday', 'sunday'];
const FIRST = { pass: 'within', days: WORKDAYS, from: '09:00', to: '18:00', timeZone: '' } as const;

export const officeHoursField: INodeProperties = {
	displayName: 'Office Hours',
	name: 'officeHours',
	type: 'fixedCollection',
	default: { hours: FIRST },
	description: 'Only messages that the contact wrote within these hours, or only those outside',
	options: [
		{
			displayName: 'Hours',
			name: 'hours',
			values: [
				{
					displayName: 'Days',
					name: 'days',
					type: 'multiOptions',
					default: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
					// In weekday order instead of n8n's alphabetical order.
					options: DAYS.map((day) => ({ name: day.charAt(0).toUpperCase() + day.slice(1), value: day })),
				},
				textField('From', 'from', { default: '09:00', placeholder: '09:00' }),
				textField('To', 'to', {
					default: '18:00',
					placeholder: '18:00',
					description: 'A time before From is of the next day, such as from 22:00 to 06:00',
				}),
				{
					displayName: 'Which Messages',
					name: 'pass',
					type: 'options',
					default: 'within',
					options: [
						{ name: 'Only Outside These Hours', value: 'outside' },
						{ name: 'Only Within These Hours', value: 'within' },
					],
				},
				// The label is short because n8n's linter requires alphabetical order.
				textField('Zone', 'timeZone', {
					placeholder: 'America/Sao_Paulo',
					description: 'The time zone. If empty, the time zone in the settings of the workflow.',
				}),
			],
		},
	],
};

/**
 * Whether the filter passes a message of that time.
 * @param otherZone the time zone if the filter names none
 */
export function isInHours({ hours }: OfficeHours, time: Date, otherZone: string): boolean {
	if (!hours) return true;
	const { pass, days, from, to, timeZone } = { ...FIRST, ...hours };
	const { day, minute } = clockIn(textOf(timeZone).trim() || otherZone, time);
	const [begins, ends] = [minutesOf(from) ?? 0, minutesOf(to) ?? MINUTES_OF_DAY];
	const isOn = (weekday: number) => days.includes(DAYS[(weekday + 7) % 7] ?? '');
	const isWithin =
		begins < ends
			? isOn(day) && minute >= begins && minute < ends
			: (isOn(day) && minute >= begins) || (isOn(day - 1) && minute < ends);
	return isWithin === (pass === 'within');
}

const MINUTES_OF_DAY = 24 * 60;

/** @returns the weekday, 0 for Monday, and the minute of the day */
function clockIn(timeZone: string, time: Date): { day: number; minute: number } {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone,
		weekday: 'long',
		hour: '2-digit',
		minute: '2-digit',
		hourCycle: 'h23',
	}).formatToParts(time);
	const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
	return {
		day: DAYS.indexOf(part('weekday').toLowerCase()),
		minute: Number(part('hour')) * 60 + Number(part('minute')),
	};
}

/** Returns the minutes of a time such as 9:00, 18:30 or 24:00; undefined if invalid. */
function minutesOf(time: string): number | undefined {
	const [, hour, minute] = /^\s*(\d{1,2}):([0-5]\d)\s*$/.exec(time) ?? [];
	const minutes = Number(hour) * 60 + Number(minute);
	return minutes <= MINUTES_OF_DAY ? minutes : undefined;
}

/** Returns the problem of the office hours and the fix; undefined if they are valid. */
export function faultOfHours(
	this: IHookFunctions,
	{ hours }: OfficeHours,
): { problem: string; next: string } | undefined {
	if (!hours) return undefined;
	const { days, from, to, timeZone } = { ...FIRST, ...hours };
	if (days.length === 0) {
		return {
			problem: 'Office Hours has no day',
			next: 'Choose at least one of the Days, or remove the filter.',
		};
	}
	for (const [field, time] of [
		['From', from],
		['To', to],
	] as const) {
		if (minutesOf(time) !== undefined) continue;
		return {
			problem: `${field} of Office Hours is no time: "${time}"`,
			next: 'Enter hours and minutes by the 24-hour clock, such as 09:00 or 18:30.',
		};
	}
	if (minutesOf(from) === minutesOf(to)) {
		return {
			problem: 'Office Hours begin and end at the same time',
			next: 'For whole days, enter 00:00 as From and 24:00 as To.',
		};
	}
	const zone = textOf(timeZone).trim() || this.getTimezone();
	try {
		clockIn(zone, new Date());
	} catch {
		return {
			problem: `Zone of Office Hours is unknown: "${zone}"`,
			next: 'Enter it as continent and city, such as America/Sao_Paulo or Europe/Madrid.',
		};
	}
	return undefined;
}
