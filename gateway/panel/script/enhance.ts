import { all } from './page';
import { localizeFields } from './moments';
import { countDown, isNewDay, localize } from './times';

/** A chat read to its end stays there if its height changes: by a keyboard, or by the text that is being written. */
const ends = new ResizeObserver((chats) => {
  for (const { target } of chats as unknown as { target: Element & { heightBefore: number } }[]) {
    const { scrollHeight, scrollTop, clientHeight, heightBefore } = target;
    if (scrollHeight - scrollTop - heightBefore < 80) target.scrollTop = scrollHeight;
    target.heightBefore = clientHeight;
  }
});

/** What script adds to a part of the page, each time that it comes. */
export function enhance(within: ParentNode): void {
  localize(within);
  localizeFields(within);
  for (const one of all('[data-scroll=end]', within)) ends.observe(one);
  for (const button of all('[data-copy]', within)) button.hidden = !navigator.clipboard;
  for (const button of all('[data-reload] button, .compose [value=preview]', within)) button.hidden = true;
  for (const label of all('[data-tick-all]', within)) label.hidden = false;
}

setInterval(() => {
  countDown(document);
  // A time without its day is of yesterday from now on.
  if (isNewDay()) enhance(document);
}, 1000);
