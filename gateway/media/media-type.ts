/**
 * The allowed uploads: MIME types of each kind of file, and their largest sizes. Kinds and limits are those of
 * docs/api.md, "Files"; limits of stickers are the platform's
 * (developers.facebook.com/docs/whatsapp/cloud-api/reference/media#supported-media-types). The types are the
 * platform's plus ZIP and relatives of the listed documents, which are left to the platform.
 */
export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const POWERPOINT = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';

export const MEDIA_TYPES: Record<MediaKind, readonly string[]> = {
  image: ['image/jpeg', 'image/png'],
  video: ['video/mp4', 'video/3gpp'],
  audio: ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/mp4', 'audio/amr'],
  document: [
    'application/pdf',
    'application/msword',
    'application/vnd.ms-excel',
    'application/vnd.ms-powerpoint',
    WORD,
    EXCEL,
    POWERPOINT,
    'application/vnd.oasis.opendocument.text',
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.presentation',
    'application/zip',
    'application/rtf',
    'text/plain',
    'text/csv',
  ],
  sticker: ['image/webp'],
};

/** Other names for the same types, as used by clients and browsers. */
const SYNONYMS: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'video/3gp': 'video/3gpp',
  'video/x-m4v': 'video/mp4',
  'audio/mp3': 'audio/mpeg',
  'audio/mpeg3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'audio/aacp': 'audio/aac',
  'audio/amr-nb': 'audio/amr',
  'audio/x-amr': 'audio/amr',
  // The platform accepts an upload of this type but refuses the message with it (131053).
  'audio/opus': 'audio/ogg',
  'audio/x-opus': 'audio/ogg',
  'audio/x-opus+ogg': 'audio/ogg',
  'audio/x-ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'application/x-pdf': 'application/pdf',
  'application/csv': 'text/csv',
  'text/x-csv': 'text/csv',
  'application/x-rtf': 'application/rtf',
  'application/x-zip': 'application/zip',
  'application/x-zip-compressed': 'application/zip',
  'text/rtf': 'application/rtf',
};

/** `audio/ogg; codecs=opus`: a type with optional parameters. It becomes a header, so line breaks are excluded. */
const MIME_TYPE = /^([\w.+-]+\/[\w.+-]+)((?:[ \t]*;[ \t]*[\w.+-]+=(?:[\w.+-]+|"[\w .,+-]*"))*)$/;

/**
 * A declared type, normalised to the platform's names: `type` alone, and `whole` with its parameters. Null if it is
 * not a MIME type.
 */
export function readMediaType(declared: string): { type: string; whole: string } | null {
  const [, name, parameters = ''] = MIME_TYPE.exec(declared.trim().toLowerCase()) ?? [];
  if (name === undefined) return null;
  const type = SYNONYMS[name] ?? name;
  return { type, whole: type + parameters };
}

/** Null for a type that is not allowed. */
export const kindOf = (type: string): MediaKind | null =>
  MEDIA_KINDS.find((kind) => MEDIA_TYPES[kind].includes(type)) ?? null;

export interface SizeLimit {
  /** The kind of file that has this limit, in the plural. */
  of: string;
  bytes: number;
  /** The limit in words. */
  named: string;
}

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

const LIMITS: Record<MediaKind, SizeLimit> = {
  image: { of: 'images', bytes: 5 * MEGABYTE, named: '5 MB' },
  video: { of: 'videos', bytes: 16 * MEGABYTE, named: '16 MB' },
  audio: { of: 'audio files', bytes: 16 * MEGABYTE, named: '16 MB' },
  document: { of: 'documents', bytes: 100 * MEGABYTE, named: '100 MB' },
  sticker: { of: 'stickers that do not move', bytes: 100 * KILOBYTE, named: '100 KB' },
};
const ANIMATED_STICKER: SizeLimit = { of: 'animated stickers', bytes: 500 * KILOBYTE, named: '500 KB' };

export const limitOf = (kind: MediaKind, isAnimated: boolean): SizeLimit =>
  kind === 'sticker' && isAnimated ? ANIMATED_STICKER : LIMITS[kind];

/** Types by file extension, only for contents that several types share. */
const EXTENSIONS: Record<string, string> = {
  docx: WORD,
  xlsx: EXCEL,
  pptx: POWERPOINT,
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  m4a: 'audio/mp4',
};

export const typeByName = (filename: string): string | null =>
  EXTENSIONS[/\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''] ?? null;
