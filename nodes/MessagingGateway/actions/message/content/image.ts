import { mediaContent } from './media';

export const image = mediaContent({
	kind: 'image',
	name: 'Image',
	description: 'A picture, with a caption if you like',
	action: 'Send photo or image',
	example: 'https://shop.example.com/cake.jpg',
	caption: 'This is how your cake will look',
});
