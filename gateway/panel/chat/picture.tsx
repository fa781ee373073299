import { type VNode } from 'preact';
import { t } from '../languages/t';
import { opens } from '../ui/form';

interface PictureProps {
  /** Unique on its page. */
  id: string;
  href: string;
  /** The text alternative. */
  alt: string;
  class: string;
  kind?: string;
}

/** A picture in a chat. A click enlarges it to the window. */
export function Picture({ id, href, alt, class: name, kind }: PictureProps): VNode {
  const dialog = `view-${id.replace(/\W/g, '')}`;
  return (
    <>
      <button type="button" class={`picture ${name}`} data-kind={kind} {...opens(dialog)}>
        <img src={href} alt={alt} loading="lazy" />
      </button>
      <dialog id={dialog} class="dialog view" aria-label={alt}>
        <img src={href} alt={alt} loading="lazy" />
        <form method="dialog" class="dialog-actions">
          <a class="button plain" href={href} target="_blank" rel="noopener">
            {t('Open in a new window')}
          </a>
          <button class="button plain">{t('Close')}</button>
        </form>
      </dialog>
    </>
  );
}
