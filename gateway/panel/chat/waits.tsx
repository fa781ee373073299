import { type VNode } from 'preact';
import { t } from '../languages/t';

/** What a row of a contact who wrote last says in words, beside its dot. */
export const Waits = (): VNode => <span class="sr-only"> · {t('waits for a reply')}</span>;
