import { enhance } from './enhance';
import { all, isDialogOpen } from './page';
import { countTicks } from './ticks';

/** A chat within this many pixels of its end counts as scrolled to the end. */
const NEAR_END = 80;

const topOf = (one: Element): number => one.getBoundingClientRect().top;

const isTypingIn = (part: HTMLElement, held: HTMLInputElement): boolean =>
  part.contains(held) && /^(INPUT|TEXTAREA|SELECT)$/.test(held.tagName) && held.type !== 'checkbox';

/**
 * Replaces the content of a part. Focus, open details, check boxes and scroll positions are kept.
 * @returns false if the part must wait, because the user types or presses in it or has its dialog open
 */
export function patch(part: HTMLElement, html: string): boolean {
  const held = document.activeElement as HTMLAnchorElement & HTMLInputElement;
  // A click is lost if its button is replaced before it ends.
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
  // Rows may have moved. If several elements look the same, focuses the one at the same position.
  if (focused >= 0) {
    const alike = pressed().filter(isHeld);
    (alike.length === 1 ? alike[0] : pressed()[focused])?.focus();
  }
  enhance(part);
  // Scrolls so that the first visible link stays in place when rows are inserted above.
  const are = were.size ? tops() : were;
  const read = [...were].find(([href, top]) => top > 0 && are.has(href));
  if (read) scrollBy(0, (are.get(read[0]) as number) - read[1]);
  return true;
}
