/**
 * The script of the panel; every page also works without it. The imported modules add listeners: live
 * updates, local times, and shortcuts for forms, lists and chats.
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
// Centered, so that the neighboring rows are visible.
for (const one of all('.pane [aria-current]')) one.scrollIntoView({ block: 'center' });
for (const one of all('[data-scroll=end]')) one.scrollTop = one.scrollHeight;
focusPressed();
[...all('[data-focus]')].find((one) => one.getClientRects().length)?.focus();
// Not on phones, where the keyboard would cover the page. On load, after the browser has scrolled to the
// anchor, and only if nothing else has the focus.
if (matchMedia('(min-width: 801px) and (hover: hover)').matches)
  addEventListener('load', () => {
    if (document.activeElement === document.body) find('[data-type-here]')?.focus({ preventScroll: true });
  });
giveToken();
watch();
