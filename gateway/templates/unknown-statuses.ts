import { templateStateOf } from '../cloud-api/template';

/** Told of every template status; says in the log which are not known to this version, and count as pending. */
export type NoticeStatus = (word: string | null, template: string) => void;

/** Words that are remembered: the platform has some twenty, so that far more are no words but noise. */
const MOST_WORDS = 100;

/** Each word is logged once, not with every template and every sync. */
export function noticeUnknownStatuses(log: { warn(fields: object, message: string): void }): NoticeStatus {
  const told = new Set<string>();
  return (word, template) => {
    if (word === null || templateStateOf(word) !== null || told.has(word) || told.size >= MOST_WORDS) return;
    told.add(word);
    log.warn({ word, template }, 'the platform has a template status that is not known: taken as pending');
  };
}
