import { type VNode } from 'preact';
import { hasWords, wordsOf } from '../../primitives/words';
import { t } from '../languages/t';
import { shortAddress, shownAddress } from '../ui/shown-address';
import { linesLike } from '../ui/line-field';
import { useRequest } from '../ui/page-request';
import { addressOf } from './filter';

/** Most suggested lines. */
const MOST_LINES = 3;
const MOST_LINKS = 5;

/** Explains what the event search can find, and links to lines and destinations that match. */
export function PlacesLike({ q }: { q: string }): VNode {
  const context = useRequest();
  const { lines, destinations } = context.deps;
  const words = wordsOf(q);
  const all = lines.all();
  const ofLines = linesLike(all, q).slice(0, MOST_LINES);
  const ofDestinations = all
    .flatMap(({ id }) => destinations.ofLine(id))
    .filter(({ lineId, url }) => hasWords(shownAddress(context, lineId, url), words))
    .slice(0, MOST_LINKS - ofLines.length);
  return (
    <>
      <p>
        {t(
          'Search by words of contacts’ messages, by at least four digits of a number, or by the full ID of a message or event.',
        )}
      </p>
      {ofLines.map(({ id, name }) => (
        <a key={`line ${id}`} href={addressOf({ line: String(id) })}>
          {t('Events of {name}', { name })}
        </a>
      ))}
      {ofDestinations.map(({ id, lineId, url }) => (
        <a key={id} class="long" href={addressOf({ destination: String(id) })}>
          {t('Deliveries to {destination}', { destination: shortAddress(context, lineId, url) })}
        </a>
      ))}
    </>
  );
}
