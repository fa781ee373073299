import type { IDataObject } from 'n8n-workflow';

/** A message from a contact, as in the trigger's output. */
export interface Reply extends IDataObject {
	messageId?: string;
	/** The ID of the message that it quotes or answers. */
	contextId?: string;
	kind?: string;
	from?: string;
	fromUserId?: string;
	name?: string;
	text?: string;
	replyId?: string;
	replyTitle?: string;
	/** The title of the choice, if our trigger forwards the answer. */
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
