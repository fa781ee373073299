import { type VNode } from 'preact';
import { hasWords, wordsOf } from '../../primitives/words';
import { t } from '../languages/t';
import { shortAddress, shownAddress } from '../ui/shown-address';
import { linesLike } from '../ui/line-field';
import { useRequest } from '../ui/page-request';
import { addressOf } from './filter';

/** Of lines, and of lines and destinations. */
const MOST_LINES = 3;
const MOST_LINKS = 5;

/** What events are found by, and the lists of the lines and destinations that were looked for instead. */
export function PlacesLike({ q }: { q: string }): VNode {
  const context = useRequest();
  const { lines, destinations } = context.deps;
  const words = wordsOf(q);
  const all = lines.all();
  const ofLines = linesLike(all, q).slice(0, MOST_LINES);
  const ofDestinations = all
    .flatMap(({ id }) => destinations.ofLine(id))
    .filter(({ url }) => hasWords(shownAddress(context, url), words))
    .slice(0, MOST_LINKS - ofLines.length);
  return (
    <>
      <p>
        {t(
          'Events are found by words of what contacts wrote, by four digits of a number or more, and by the whole id of a message or an event.',
        )}
      </p>
      {ofLines.map(({ id, name }) => (
        <a key={`line ${id}`} href={addressOf({ line: String(id) })}>
          {t('Events of {name}', { name })}
        </a>
      ))}
      {ofDestinations.map(({ id, url }) => (
        <a key={id} class="long" href={addressOf({ destination: String(id) })}>
          {t('Deliveries to {destination}', { destination: shortAddress(context, url) })}
        </a>
      ))}
    </>
  );
}
