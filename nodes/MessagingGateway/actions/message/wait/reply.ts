import type { IDataObject } from 'n8n-workflow';

/** A message of a contact, as the trigger gives it out. */
export interface Reply extends IDataObject {
	messageId?: string;
	/** The message that it refers to. */
	contextId?: string;
	kind?: string;
	from?: string;
	fromUserId?: string;
	name?: string;
	text?: string;
	replyId?: string;
	replyTitle?: string;
	/** The same, where our trigger passes the answer on. */
	title?: string;
	timestamp?: string;
	media?: IDataObject | null;
	location?: IDataObject | null;
}

export const whoAndWhen = ({ from, fromUserId, name, messageId, timestamp }: Reply): IDataObject => ({
	from: from ?? null,
	fromUserId: fromUserId ?? null,
	name: name ?? null,
	answerMessageId: messageId ?? null,
	answeredAt: timestamp ?? new Date().toISOString(),
});
