import { all, on, type Field } from './page';

/** Shows typed text in the preview, with WhatsApp formatting. */

const SIGNS: Record<string, string> = { '*': 'strong', _: 'em', '~': 's' };
const MARKED = /(?<![\p{L}\p{N}])(\*\S[^*\n]*\*|_\S[^_\n]*_|~\S[^~\n]*~)(?![\p{L}\p{N}])/u;

/** @param index odd for text inside formatting characters, because `split` captures them */
function marked(part: string, index: number): string | HTMLElement {
  if (index % 2 === 0) return part;
  const one = document.createElement(SIGNS[part[0]]);
  one.textContent = part.slice(1, -1);
  return one;
}

on<'input', Field>('input', (target) => {
  for (const one of all('[data-shows]')) {
    if (one.dataset.shows !== target.id) continue;
    const text = target.value || (one.dataset.empty as string);
    one.replaceChildren(...('marked' in one.dataset ? text.split(MARKED).map(marked) : [text]));
  }
});
