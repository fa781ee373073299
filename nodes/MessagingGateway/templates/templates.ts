import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../item';
import { keptFor } from '../kept';
import { lineOf, type GatewayCaller, type Line } from '../line';
import { callGateway } from '../transport';

/** The most that the gateway lists at once. */
export const MOST_TEMPLATES = 500;

/** docs/api.md, "Templates". Only what the nodes read. */
export interface Template extends IDataObject {
	name: string;
	language: string;
	body: string;
	header: { type: string; text: string | null } | null;
	footer?: string | null;
	buttons: TemplateButton[] | null;
	/** As the platform describes it: what the other fields lack, such as the cards of a carousel. */
	components?: TemplatePart[];
}

export interface TemplatePart extends IDataObject {
	type: string;
	format?: string;
	text?: string;
	buttons?: TemplateButton[];
	cards?: Array<{ components?: TemplatePart[] }>;
	limited_time_offer?: { has_expiration?: boolean };
}

export interface TemplateButton extends IDataObject {
	type: string;
	text: string;
	url?: string | null;
}

export interface TemplateList extends IDataObject {
	data: Template[];
}

export async function listTemplates(
	this: GatewayCaller,
	{
		templateStatus,
		name,
		limit,
		refresh,
		itemIndex,
	}: { templateStatus?: string; name?: string; limit: number; refresh?: boolean; itemIndex?: number },
): Promise<TemplateList> {
	const answer = await callGateway.call(this, {
		method: 'GET',
		path: 'templates',
		query: {
			limit: Math.min(limit, MOST_TEMPLATES),
			...(templateStatus && { status: templateStatus }),
			...(name && { name }),
			...(refresh && { refresh: 1 }),
		},
		itemIndex,
	});
	return { ...answer, data: (answer.data ?? []) as Template[] };
}

/** Templates of that name and status, in all their languages, however many templates the line has. */
export async function templatesNamed(
	this: GatewayCaller,
	name: string,
	{ templateStatus, itemIndex }: { templateStatus?: string; itemIndex?: number } = {},
): Promise<Template[]> {
	const { data } = await listTemplates.call(this, { templateStatus, name, limit: MOST_TEMPLATES, itemIndex });
	return data.filter((template) => template.name === name);
}

/** A template is found by name and language: the same name may exist in several languages. */
export interface TemplateKey {
	name: string;
	language: string;
}

/** What From List stores: both in one value, because a resource locator has only one. */
export const pickerValue = ({ name, language }: TemplateKey): string => `${name}|${language}`;

/** The counterpart. A value without a language (By Name) takes the one entered beside it. */
export function templateKey(value: string, languageBeside: string): TemplateKey {
	const [name = '', language] = value.split('|').map((part) => part.trim());
	return { name, language: language || languageBeside.trim() };
}

/** The approved templates of a line by name, each name asked for once per run of a node however many items it has. */
const approvedOfLine = keptFor((_line: Line) => new Map<string, Promise<Template[]>>());

/**
 * The current template, or undefined if the gateway does not list it: the gateway then validates the message.
 */
export async function currentTemplate(
	{ context, index }: Item,
	{ name, language }: TemplateKey,
): Promise<Template | undefined> {
	const byName = approvedOfLine(await lineOf.call(context, index));
	let asked = byName.get(name);
	if (!asked) {
		asked = templatesNamed.call(context, name, { templateStatus: 'approved', itemIndex: index });
		byName.set(name, asked);
		// Failures are not cached: after a required wait, the next call asks again.
		asked.catch(() => byName.delete(name));
	}
	return (await asked).find((template) => template.language === language);
}
