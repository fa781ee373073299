import { quoted, type ValidationIssue } from '../../errors';
import { bad, notOneOf } from './issue-sentences';
import { at, isAbsent, isObject } from '../json/json-value';

/** Rules for files and locations that a schema cannot express. */

export function idOrLink(media: unknown, path: string): ValidationIssue[] {
  if (!isObject(media)) return [];
  const given = ['id', 'link'].filter((field) => !isAbsent(at(media, field))).length;
  if (given === 1) return [];
  return [notOneOf(path, given, '"id" and "link"', '"id" (of an uploaded file) or "link" (its web address)')];
}

export const noCaption = (media: unknown, path: string): ValidationIssue[] =>
  at(media, 'caption')
    ? [
        bad(
          `${path}.caption`,
          'unexpected',
          `${path} takes no caption. Send the text as a message of its own.`,
        ),
      ]
    : [];

/** Checks the range of coordinates sent as text. */
export function coordinateRanges(location: unknown, path: string): ValidationIssue[] {
  const limits = { latitude: 90, longitude: 180 };
  return Object.entries(limits).flatMap(([name, limit]) => {
    const value = at(location, name);
    if (typeof value !== 'string' || !(Math.abs(Number(value)) > limit)) return [];
    return [
      bad(
        `${path}.${name}`,
        'range',
        `${path}.${name} is ${quoted(value)}; it goes from -${limit} to ${limit}.`,
      ),
    ];
  });
}
