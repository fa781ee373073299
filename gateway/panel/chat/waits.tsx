import { type VNode } from 'preact';
import { t } from '../languages/t';

/** The screen reader text for the dot of a contact who waits for a reply. */
export const Waits = (): VNode => <span class="sr-only"> · {t('waiting for a reply')}</span>;
