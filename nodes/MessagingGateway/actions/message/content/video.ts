import { mediaContent } from './media';

export const video = mediaContent({
	kind: 'video',
	name: 'Video',
	description: 'A video, with a caption if you like',
	action: 'Send video',
	example: 'https://shop.example.com/tour.mp4',
	caption: 'A tour of our new shop',
});
