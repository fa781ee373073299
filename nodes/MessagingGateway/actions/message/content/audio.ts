import { mediaContent } from './media';

export const audio = mediaContent({
	kind: 'audio',
	name: 'Audio',
	description: 'A sound file or a voice message',
	action: 'Send audio or voice message',
	example: 'https://shop.example.com/greeting.ogg',
});
