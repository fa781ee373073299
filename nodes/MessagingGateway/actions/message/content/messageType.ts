import { kindOf } from '../../../files/media';
import { typeByName } from '../../../files/fileType';

/** Kinds of message that an expression can choose: each needs only a text or a file. */
export const CHOSEN_BY_WORD = [
	'text',
	'image',
	'video',
	'audio',
	'voice',
	'document',
	'sticker',
	'file',
] as const;
type Chosen = (typeof CHOSEN_BY_WORD)[number];

/** Words for each kind in English, Portuguese and Spanish, without accents. */
const WORDS: Record<Chosen, string[]> = {
	text: ['message', 'text message', 'plain text', 'texto', 'mensagem', 'mensaje'],
	image: ['picture', 'photo', 'pic', 'img', 'foto', 'fotografia', 'imagem', 'imagen'],
	video: ['movie', 'clip', 'film'],
	audio: ['sound', 'music', 'song', 'musica', 'som', 'sonido'],
	voice: ['voice message', 'voice note', 'ptt', 'voz', 'mensagem de voz', 'mensaje de voz', 'nota de voz'],
	document: ['doc', 'spreadsheet', 'documento'],
	sticker: ['figurinha', 'pegatina'],
	file: ['attachment', 'media', 'binary', 'auto', 'arquivo', 'archivo', 'anexo', 'adjunto', 'midia', 'medio'],
};

/**
 * Returns the kind of message for a word: a synonym, a plural, a file extension such as pdf, or a media type
 * such as image/png. For a media type, the file decides the kind.
 */
export function typeMeant(word: string): Chosen | undefined {
	const plain = word
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/[\s_-]+/g, ' ')
		.trim();
	if (/^\w+\/\S/.test(plain)) return 'file';
	const singular = plain.replace(/s$/, '');
	const meant = CHOSEN_BY_WORD.find((type) =>
		[type, ...WORDS[type]].some((one) => one === plain || one === singular),
	);
	return meant ?? kindOf(typeByName(`.${plain.replace(/^\./, '')}`) ?? '');
}
