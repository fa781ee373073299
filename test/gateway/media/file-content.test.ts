import { contentOf } from '../../../gateway/media/file-content';
import { kindOf, limitOf, readMediaType } from '../../../gateway/media/media-type';
import { HEADS } from './support';

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('the content of a file', () => {
  const cases: [keyof typeof HEADS, string | undefined][] = [
    ['jpeg', 'image/jpeg'],
    ['png', 'image/png'],
    ['webp', 'image/webp'],
    ['animatedWebp', 'image/webp'],
    ['mp4', 'video/mp4'],
    ['gpp', 'video/3gpp'],
    ['gppAsMp4', 'video/3gpp'],
    ['m4a', 'audio/mp4'],
    ['mp3', 'audio/mpeg'],
    ['mp3Frame', 'audio/mpeg'],
    ['aac', 'audio/aac'],
    ['ogg', 'audio/ogg'],
    ['amr', 'audio/amr'],
    ['pdf', 'application/pdf'],
    ['office', 'application/msword'],
    ['zip', 'application/zip'],
    ['text', 'text/plain'],
    ['quickTime', undefined],
    ['heic', undefined],
    ['gif', undefined],
    ['program', undefined],
  ];
  test.each(cases)('is told of %s: %s', (name, type) => {
    expect(contentOf(HEADS[name]).types[0]).toBe(type);
  });

  test('may be declared as any type that has such content, and as no other', () => {
    expect(contentOf(HEADS.mp4).types).toEqual(['video/mp4', 'audio/mp4']);
    expect(contentOf(HEADS.gpp).types).toEqual(['video/3gpp']);
    expect(contentOf(HEADS.gppAsMp4).types).toEqual(['video/3gpp', 'video/mp4', 'audio/mp4']);
    expect(contentOf(HEADS.m4a).types).toEqual(['audio/mp4']);
    expect(contentOf(HEADS.zip).types).toContain(WORD);
    // Encrypted with a password, it is in the older container.
    expect(contentOf(HEADS.office).types).toEqual(expect.arrayContaining([WORD, 'application/vnd.ms-excel']));
    expect(contentOf(HEADS.ogg).types).toEqual(['audio/ogg', 'audio/opus']);
    expect(contentOf(HEADS.zip).types).not.toContain('application/vnd.ms-excel');
  });

  test('of a sticker tells whether it moves', () => {
    expect(contentOf(HEADS.webp).isAnimated).toBe(false);
    expect(contentOf(HEADS.animatedWebp).isAnimated).toBe(true);
  });

  test.each(Object.entries(HEADS))('is judged to its last byte where %s breaks off', (_name, head) => {
    for (let length = 0; length <= head.length; length++) {
      expect(contentOf(head.subarray(0, length))).toMatchObject({ named: expect.any(String) });
    }
  });
});

describe('a declared type', () => {
  test.each([
    ['image/jpeg', 'image/jpeg', 'image/jpeg'],
    ['IMAGE/JPG', 'image/jpeg', 'image/jpeg'],
    ['audio/ogg; codecs=opus', 'audio/ogg', 'audio/ogg; codecs=opus'],
    ['audio/ogg; codecs="opus"', 'audio/ogg', 'audio/ogg; codecs="opus"'],
    ['audio/x-m4a', 'audio/mp4', 'audio/mp4'],
  ])('%s is %s, and %s to the platform', (declared, type, whole) => {
    expect(readMediaType(declared)).toEqual({ type, whole });
  });

  test.each(['', 'jpeg', 'image/', 'image/jpeg\r\nX-Header: 1', 'image/jpeg"', 'image/jpeg; a', '(/)'])(
    '%j is none',
    (declared) => {
      expect(readMediaType(declared)).toBeNull();
    },
  );

  test('has the limit of its kind', () => {
    const MB = 1024 * 1024;
    expect(limitOf('image', false).bytes).toBe(5 * MB);
    expect(limitOf('video', false).bytes).toBe(16 * MB);
    expect(limitOf('audio', false).bytes).toBe(16 * MB);
    expect(limitOf('document', false).bytes).toBe(100 * MB);
    expect(limitOf('sticker', false).bytes).toBe(100 * 1024);
    expect(limitOf('sticker', true).bytes).toBe(500 * 1024);
    expect(kindOf('image/webp')).toBe('sticker');
    expect(['image/png', 'video/3gpp', 'audio/ogg'].map(kindOf)).toEqual(['image', 'video', 'audio']);
    expect(kindOf('image/gif')).toBeNull();
  });
});
