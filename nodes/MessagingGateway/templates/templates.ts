import type { IDataObject } from 'n8n-workflow';

import type { Item } from '../item';
import { keptFor } from '../kept';
import { lineOf, type GatewayCaller, type Line } from '../line';
import { callGateway } from '../transport';

/** The most templates that the gateway lists at once. */
export const MOST_TEMPLATES = 500;

/** Fields that the nodes read from docs/api.md, "Templates". */
export interface Template extends IDataObject {
	name: string;
	language: string;
	body: string;
	header: { type: string; text: string | null } | null;
	footer?: string | null;
	buttons: TemplateButton[] | null;
	/** The platform's components, for details that the other fields lack, such as the cards of a carousel. */
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

/**
 * Returns the templates with that name and status in all languages. The query by name also finds templates
 * beyond the list's limit.
 */
export async function templatesNamed(
	this: GatewayCaller,
	name: string,
	{ templateStatus, itemIndex }: { templateStatus?: string; itemIndex?: number } = {},
): Promise<Template[]> {
	const { data } = await listTemplates.call(this, { templateStatus, name, limit: MOST_TEMPLATES, itemIndex });
	return data.filter((template) => template.name === name);
}

/** Identifies a template: one name can exist in several languages. */
export interface TemplateKey {
	name: string;
	language: string;
}

/**
 * The value that From List stores: name and language in one, because a resource locator has a single value.
 */
export const pickerValue = ({ name, language }: TemplateKey): string => `${name}|${language}`;

/** Parses a stored value. A value without a language (By Name) uses the language field. */
export function templateKey(value: string, languageBeside: string): TemplateKey {
	const [name = '', language] = value.split('|').map((part) => part.trim());
	return { name, language: language || languageBeside.trim() };
}

/** Approved templates of a line by name. Each name is requested once per run, however many items use it. */
const approvedOfLine = keptFor((_line: Line) => new Map<string, Promise<Template[]>>());

/**
 * Returns the current template; undefined if the gateway does not list it and so validates the message
 * itself.
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
		// Failures are not cached, so the next call after a required wait asks again.
		asked.catch(() => byName.delete(name));
	}
	return (await asked).find((template) => template.language === language);
}
