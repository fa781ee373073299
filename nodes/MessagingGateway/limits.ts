/** Limits in code points or pieces: docs/api.md, "What a message may hold". */
export const LIMITS = {
	text: 4096,
	body: 1024,
	header: 60,
	footer: 60,
	buttons: 3,
	buttonTitle: 20,
	buttonId: 256,
	listButton: 20,
	sections: 10,
	sectionTitle: 24,
	rows: 10,
	rowTitle: 24,
	rowDescription: 72,
	rowId: 200,
	clientRef: 512,
	caption: 1024,
	linkLabel: 20,
	flowLabel: 30,
	products: 30,
} as const;

/** Counts code points: an emoji outside the basic plane counts as one character. */
export const characters = (text: string): number => Array.from(text).length;
