import { mediaContent } from './media';

export const sticker = mediaContent({
	kind: 'sticker',
	name: 'Sticker',
	description: 'A sticker: a small WebP picture without a frame',
	action: 'Send sticker',
	example: 'https://shop.example.com/thanks.webp',
});
