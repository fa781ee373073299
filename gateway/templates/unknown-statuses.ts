import { templateStateOf } from '../cloud-api/template';

/** Called with every template status; logs those unknown to this version, which count as pending. */
export type NoticeStatus = (word: string | null, template: string) => void;

/** The most remembered statuses: the platform has some twenty, so many more would be invalid data. */
const MOST_WORDS = 100;

/** Each status is logged once, not for every template and sync. */
export function noticeUnknownStatuses(log: { warn(fields: object, message: string): void }): NoticeStatus {
  const told = new Set<string>();
  return (word, template) => {
    if (word === null || templateStateOf(word) !== null || told.has(word) || told.size >= MOST_WORDS) return;
    told.add(word);
    log.warn({ word, template }, 'the platform has a template status that is not known: taken as pending');
  };
}
