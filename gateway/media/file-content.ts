import { MEDIA_TYPES } from './media-type';

/**
 * The type of a file by its first bytes. Uses its own signatures instead of a library: the allowed formats are few, a
 * signature is a few published bytes, and files are never unpacked.
 */
export interface FileContent {
  /** In words, for a sentence: "a JPEG image". */
  named: string;
  /** The MIME types that may be declared for such a file, most likely first. Empty: not allowed. */
  types: readonly string[];
  /** Whether it is an animated sticker. */
  isAnimated: boolean;
}

/** Enough of a file for every signature, and for distinguishing text from binary data. */
export const SIGNATURE_BYTES = 4096;

interface Signature {
  named: string;
  types: readonly string[];
  fits: (head: Buffer) => boolean;
}

const startsWith =
  (bytes: string, at = 0) =>
  (head: Buffer): boolean =>
    head.toString('latin1', at, at + bytes.length) === bytes;

const documents = MEDIA_TYPES.document;
const ofKind = (prefix: string) => documents.filter((type) => type.startsWith(prefix));
const OFFICE = [...ofKind('application/vnd.'), 'application/msword'];

/** In the order of the checks. */
const SIGNATURES: Signature[] = [
  { named: 'a JPEG image', types: ['image/jpeg'], fits: startsWith('\xff\xd8\xff') },
  { named: 'a PNG image', types: ['image/png'], fits: startsWith('\x89PNG\r\n\x1a\n') },
  {
    named: 'a WebP image',
    types: ['image/webp'],
    fits: (head) => startsWith('RIFF')(head) && startsWith('WEBP', 8)(head),
  },
  { named: 'an Ogg audio file', types: ['audio/ogg', 'audio/opus'], fits: startsWith('OggS') },
  { named: 'an AMR audio file', types: ['audio/amr'], fits: startsWith('#!AMR') },
  // Files with this tag are nearly always MP3, and sometimes AAC.
  { named: 'an MP3 audio file', types: ['audio/mpeg', 'audio/aac'], fits: startsWith('ID3') },
  { named: 'an AAC audio file', types: ['audio/aac'], fits: (head) => isFrame(head, 0) },
  { named: 'an AAC audio file', types: ['audio/aac'], fits: startsWith('ADIF') },
  { named: 'an MP3 audio file', types: ['audio/mpeg'], fits: (head) => isFrame(head, 1) },
  {
    named: 'a PDF document',
    types: ['application/pdf'],
    fits: (head) => head.toString('latin1', 0, 1024).includes('%PDF-'),
  },
  // With a password, the newer formats use the container of the older ones.
  {
    named: 'an Office document',
    types: ['application/msword', ...OFFICE],
    fits: startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  },
  {
    named: 'a ZIP archive or an Office document',
    types: ['application/zip', ...ofKind('application/vnd.o')],
    fits: (head) => startsWith('PK\x03\x04')(head) || startsWith('PK\x05\x06')(head),
  },
  { named: 'an RTF document', types: ['text/plain', 'application/rtf'], fits: startsWith('{\\rtf') },
];

/** @param head the first `SIGNATURE_BYTES` of the file, or the whole file if it is shorter */
export function contentOf(head: Buffer): FileContent {
  if (startsWith('ftyp', 4)(head)) return movieOf(head);
  const found = SIGNATURES.find(({ fits }) => fits(head));
  if (found) return { named: found.named, types: found.types, isAnimated: isAnimated(head) };
  return isText(head)
    ? { named: 'text', types: ['text/plain', 'text/csv'], isAnimated: false }
    : { named: 'in a format that cannot be uploaded', types: [], isAnimated: false };
}

/** The sync word at the start of each MP3 (layer 3: 01) or AAC (always 00) frame. */
const isFrame = (head: Buffer, layer: 0 | 1): boolean =>
  head.length > 3 &&
  head[0] === 0xff &&
  (head.readUInt8(1) & 0xe0) === 0xe0 &&
  ((head.readUInt8(1) >> 1) & 3) === layer &&
  (layer === 1 || (head.readUInt8(1) & 0x10) !== 0);

/** The animation flag of an extended WebP file. developers.google.com/speed/webp/docs/riff_container */
const isAnimated = (head: Buffer): boolean =>
  startsWith('VP8X', 12)(head) && head.length > 20 && (head.readUInt8(20) & 2) !== 0;

/** Brands of MP4, which say how players may read the file. */
const MP4_BRANDS = /^(iso.|mp4.|avc1|M4[ABVP] |dash|MSNV|F4[AV] |mmp4)$/;

/** MP4 and related formats begin with a box that lists the brands. ISO/IEC 14496-12, 4.3 */
function movieOf(head: Buffer): FileContent {
  const end = Math.min(head.readUInt32BE(0), head.length);
  const major = head.toString('latin1', 8, 12);
  const brands = [major];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4));
  const isMp4 = brands.some((brand) => MP4_BRANDS.test(brand));
  const is3gpp = brands.some((brand) => brand.startsWith('3g'));
  const isStill = /^(hei|hev|mif1|msf1|avi)/.test(major);
  const isQuickTime = major === 'qt  ';
  if (isStill || isQuickTime || !(isMp4 || is3gpp)) {
    const video = isQuickTime ? 'a QuickTime video' : 'another kind of video';
    const named = isStill ? 'a HEIC or AVIF image' : video;
    return { named: `${named}, which cannot be uploaded`, types: [], isAnimated: false };
  }
  if (/^M4[AB] $/.test(major)) return { named: 'an M4A audio file', types: ['audio/mp4'], isAnimated: false };
  return {
    named: isMp4 ? 'an MP4 file' : 'a 3GPP video',
    types: [
      ...(major.startsWith('3g') ? ['video/3gpp'] : []),
      ...(isMp4 ? ['video/mp4', 'audio/mp4'] : []),
      ...(is3gpp && !major.startsWith('3g') ? ['video/3gpp'] : []),
    ],
    isAnimated: false,
  };
}

/** Text contains none of these bytes; UTF-16 is recognised by its byte order mark. */
function isText(head: Buffer): boolean {
  if (startsWith('\xff\xfe')(head) || startsWith('\xfe\xff')(head)) return true;
  return !head.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
}
