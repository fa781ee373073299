import { mediaContent } from './media';

export const document = mediaContent({
	kind: 'document',
	name: 'Document',
	description: 'A file such as a PDF, with a caption if you like',
	action: 'Send document',
	example: 'https://shop.example.com/invoice-1042.pdf',
	caption: 'Your invoice for order 1042',
});
