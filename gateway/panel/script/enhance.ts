import { all } from './page';
import { localizeFields } from './moments';
import { countDown, isNewDay, localize } from './times';

/** Keeps a chat at its end when its height changes, because of a keyboard or a growing text field. */
const ends = new ResizeObserver((chats) => {
  for (const { target } of chats as unknown as { target: Element & { heightBefore: number } }[]) {
    const { scrollHeight, scrollTop, clientHeight, heightBefore } = target;
    if (scrollHeight - scrollTop - heightBefore < 80) target.scrollTop = scrollHeight;
    target.heightBefore = clientHeight;
  }
});

/** Applies the script's additions to a part of the page, whenever the part is inserted. */
export function enhance(within: ParentNode): void {
  localize(within);
  localizeFields(within);
  for (const one of all('[data-scroll=end]', within)) ends.observe(one);
  for (const button of all('[data-copy]', within)) button.hidden = !navigator.clipboard;
  for (const button of all('[data-reload] button, [value=preview]', within)) button.hidden = true;
  for (const label of all('[data-tick-all]', within)) label.hidden = false;
}

setInterval(() => {
  countDown(document);
  // Times without a date now belong to yesterday.
  if (isNewDay()) enhance(document);
}, 1000);
