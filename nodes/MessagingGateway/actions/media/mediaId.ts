import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Sentence, Sentences } from '../../failures';
import { refuse } from '../../limits';
import { fieldText } from '../message/content/content';

export const mediaIdField: INodeProperties = {
	displayName: 'Media ID',
	name: 'mediaId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 1234567890123456',
	description: 'The ID of the file: the one that the Trigger gives under media, or what Upload gave out',
};

/** The ID of the item's file, or a refusal: the platform's are digits alone. */
export function mediaIdIn(context: IExecuteFunctions, itemIndex: number): string {
	const id = fieldText(context, itemIndex, 'mediaId').trim();
	if (id === '') {
		refuse(
			context,
			itemIndex,
			'Media ID is empty',
			'Drag media.id from the output of the Trigger here. A message without a file has none: an If node before this one keeps those out.',
		);
	}
	if (!/^\d{1,32}$/.test(id)) {
		refuse(
			context,
			itemIndex,
			`Media ID is "${id.slice(0, 40)}", which is no media ID`,
			'It consists of digits alone. It is not the messageId: drag media.id from the output of the Trigger here.',
		);
	}
	return id;
}

const NO_FILE: Sentence = {
	happened: 'The messaging platform has no file with this ID',
	next: 'It keeps what was uploaded for 30 days, and what a contact sent for 7 days. Check that the credential is of the line that the file came to.',
	isWhole: true,
};

/** Of an ID that it does not know the platform says that it supports no such request. */
export const FILE_SENTENCES: Sentences = { not_found: NO_FILE, 'upstream_error 100': NO_FILE };
