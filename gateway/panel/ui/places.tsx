import { type VNode } from 'preact';
import { t } from '../languages/t';

interface PlacesProps {
  /** Rows before the page. */
  from: number;
  shown: number;
  all: number;
  /** Rows per page. */
  page: number;
  hrefOf(from: number): string;
}

/** The number of skipped rows in the address; 0 if invalid. */
export const placeOf = (query: URLSearchParams): number =>
  /^\d{1,6}$/.test(query.get('from') ?? '') ? Number(query.get('from')) : 0;

/** Shows "1 to 50 of 120", with links to the previous and next page. */
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
