import { type VNode } from 'preact';
import { t } from '../languages/t';

/** The button beside the text field of a chat. */
export const SendButton = (): VNode => (
  <button class="send" title={t('Send')}>
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path d="M4 12 3 4l18 8-18 8 1-8zm0 0h8" />
    </svg>
    <span class="sr-only">{t('Send')}</span>
  </button>
);
