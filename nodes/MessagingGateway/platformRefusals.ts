/**
 * Explanations for common platform codes whose own texts are unclear. The gateway supplies the advice
 * (`error_data.action`). Contains only codes that a send, an upload or a look-up can return.
 */
export const PLATFORM_REFUSALS: Record<number, string> = {
	1: 'The messaging platform failed at this, and does not say why',
	131000: 'The messaging platform failed at this, and does not say why',
	135000: 'The messaging platform failed at this, and does not say why',

	33: 'The number of this line was deleted at the messaging platform',
	368: 'The messaging platform has restricted the business account of this line',
	130497: 'The business account of this line may not write to people in this country',
	131005: 'The messaging platform denies this line the access it needs',
	131031: 'The messaging platform has locked the business account of this line',
	131037: 'The display name of this line is not approved',
	131042: 'Something is wrong with the payment method of the business account',
	131045: 'The number of this line is not registered at the messaging platform',
	131057: 'The business account of this line is in maintenance at the moment',
	131064: 'The business account of this line has reached its messaging limit',
	133010: 'The number of this line is not registered at the messaging platform',

	130403: 'Your business has blocked this contact',
	130472: 'The messaging platform keeps marketing messages from this contact, as part of an experiment',
	131021: "This message is addressed to the line's own number",
	131026: 'The message cannot be delivered to this contact',
	131030: 'This line is a test number, and this contact is not on its list',
	131049: 'The messaging platform held this marketing message back: the contact gets too many of them',
	131050: 'This contact has stopped marketing messages of your business',
	131062: 'This message cannot be sent to a user ID',
	137000: 'Somebody else may be using the number of this contact now',

	100: 'The messaging platform does not accept a value of this message',
	131008: 'The messaging platform misses a value in this message',
	131009: 'The messaging platform does not accept a value of this message',
	131051: 'The messaging platform does not take messages of this type',
	131052: 'The messaging platform could not open the file',
	131053: 'The messaging platform does not take this file',

	131063: 'Marketing templates are switched off for this line',
	132005: 'With its variables filled in, the template is too long',
	132007: 'The template violates a policy of the messaging platform',
	132008: 'A variable of the template has a wrong form',
	132012: 'A variable of the template has a wrong form',
	132018: 'A variable of the template has a wrong form',
	132068: 'The flow of this message is blocked',
	132069: 'The flow of this message is slowed down: ten messages with it went out within the hour',
	134101: 'The template is new, and the messaging platform is still making it ready',
	134102: 'The template cannot be used at the moment',
};
