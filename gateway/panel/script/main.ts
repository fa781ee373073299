/**
 * The script of the panel. Every page works without it. With it, live parts stay current, times are in the reader's zone,
 * and forms, lists and chats have the keys and comforts of the modules below, which listen from their import on.
 */
import './keys';
import './menus';
import './forms';
import './choices';
import './preview';
import './buttons';
import './ticks';
import { giveToken } from './api-token';
import { enhance } from './enhance';
import { focusPressed } from './forms';
import { watch } from './live';
import { all, find } from './page';
import { suggest } from './search';
import { countTicks } from './ticks';

for (const field of all<HTMLInputElement>('#find')) suggest(field);
enhance(document);
for (const form of all('form.ticking')) countTicks(form);
for (const list of all('#zones'))
  list.append(...Intl.supportedValuesOf('timeZone').map((zone) => new Option(zone.replaceAll('_', ' '))));
for (const one of all(':is(.tabs, .presets) [aria-current]'))
  one.scrollIntoView({ block: 'nearest', inline: 'center' });
// In the middle, so that its neighbours are in view.
for (const one of all('.pane [aria-current]')) one.scrollIntoView({ block: 'center' });
for (const one of all('[data-scroll=end]')) one.scrollTop = one.scrollHeight;
focusPressed();
[...all('[data-focus]')].find((one) => one.getClientRects().length)?.focus();
// Not on phones, whose keyboard would cover the page; without scrolling; after the browser has gone to the address's
// anchor; and not if the reader has focused something else by then.
if (matchMedia('(min-width: 801px) and (hover: hover)').matches)
  addEventListener('load', () => {
    if (document.activeElement === document.body) find('[data-type-here]')?.focus({ preventScroll: true });
  });
giveToken();
watch();
