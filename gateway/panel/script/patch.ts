import { enhance } from './enhance';
import { all, isDialogOpen } from './page';
import { countTicks } from './ticks';

/** A chat counts as read to its end this near to it. */
const NEAR_END = 80;

const topOf = (one: Element): number => one.getBoundingClientRect().top;

const isTypingIn = (part: HTMLElement, held: HTMLInputElement): boolean =>
  part.contains(held) && /^(INPUT|TEXTAREA|SELECT)$/.test(held.tagName) && held.type !== 'checkbox';

/**
 * Replaces what a part of the page holds. Focus, opened details, ticks and scroll positions stay.
 * @returns false if the part must wait: a user is typing in it, pressing in it, or has a dialog of it open
 */
export function patch(part: HTMLElement, html: string): boolean {
  const held = document.activeElement as HTMLAnchorElement & HTMLInputElement;
  // A press does nothing if its button is gone before it ends.
  if (isTypingIn(part, held) || part.matches(':active') || isDialogOpen(part)) return false;
  const opened = [...all<HTMLDetailsElement>('details', part)].map((one) => one.open);
  const pressed = () => [...all<HTMLAnchorElement>('a, button, summary', part)];
  const focused = pressed().indexOf(held);
  const isHeld = (one: HTMLAnchorElement) =>
    held.href ? one.href === held.href : one.textContent === held.textContent;
  const ticks = [...all<HTMLInputElement>(':checked[name=one]', part)].map((one) => one.value);
  const tickHeld = part.contains(held) && held.name === 'one' ? held.value : null;
  const scrolled = [...all('[data-scroll]', part)].map((one) => ({
    top: one.scrollTop,
    isAtEnd: one.scrollHeight - one.scrollTop - one.clientHeight < NEAR_END,
  }));
  const tops = () =>
    new Map([...all<HTMLAnchorElement>('a[href]', part)].map((one) => [one.href, topOf(one)]));
  const were = topOf(part) >= 0 ? new Map<string, number>() : tops();
  part.innerHTML = html;
  all<HTMLDetailsElement>('details', part).forEach((one, index) => {
    one.open = opened[index] ?? one.open;
  });
  all('[data-scroll]', part).forEach((one, index) => {
    const { top, isAtEnd } = scrolled[index] ?? { top: 0, isAtEnd: true };
    one.scrollTop = one.dataset.scroll === 'end' && isAtEnd ? one.scrollHeight : top;
  });
  for (const one of all<HTMLInputElement>('[name=one]', part)) {
    one.checked = ticks.includes(one.value);
    if (one.value === tickHeld) one.focus();
  }
  for (const form of all('form.ticking', part)) countTicks(form);
  // Rows may have moved. If several elements look alike, the one in the same place is focused.
  if (focused >= 0) {
    const alike = pressed().filter(isHeld);
    (alike.length === 1 ? alike[0] : pressed()[focused])?.focus();
  }
  enhance(part);
  // The first link that was in view stays where it was, whatever came above it.
  const are = were.size ? tops() : were;
  const read = [...were].find(([href, top]) => top > 0 && are.has(href));
  if (read) scrollBy(0, (are.get(read[0]) as number) - read[1]);
  return true;
}
