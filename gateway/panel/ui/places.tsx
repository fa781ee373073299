import { type VNode } from 'preact';
import { t } from '../languages/t';

interface PlacesProps {
  /** The number of rows before the shown ones. */
  from: number;
  shown: number;
  all: number;
  /** How many a page shows. */
  page: number;
  hrefOf(from: number): string;
}

/** The number of rows before a page, from its address; anything invalid is the first page. */
export const placeOf = (query: URLSearchParams): number =>
  /^\d{1,6}$/.test(query.get('from') ?? '') ? Number(query.get('from')) : 0;

/** Which of all are shown, with the pages before and after. */
export function Places({ from, shown, all, page, hrefOf }: PlacesProps): VNode | null {
  const hasNext = from + shown < all;
  if (!from && !hasNext) return null;
  return (
    <nav class="pager" aria-label={t('Pages')}>
      {from > 0 ? (
        <a class="button plain" href={hrefOf(Math.max(0, from - page))} rel="prev">
          {t('Previous')}
        </a>
      ) : (
        <span />
      )}
      {shown > 0 && (
        <span class="quiet number">
          {t('{first, number} to {last, number} of {all, number}', {
            first: from + 1,
            last: from + shown,
            all,
          })}
        </span>
      )}
      {hasNext ? (
        <a class="button plain" href={hrefOf(from + page)} rel="next">
          {t('Next')}
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
