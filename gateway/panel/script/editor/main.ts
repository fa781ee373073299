/** The script of the editor of templates. It also counts characters, inserts variables, and keeps the preview current. */
import '../main';
import { all, byId, find, lang, on, type Field } from '../page';
import { patch } from '../patch';

/** The wait after a change, in milliseconds, so that fast typing makes few requests. */
const PAUSE = 300;

let timer: number | undefined;
let latest: AbortController | undefined;

on<'input', Field>('input', ({ id, value, form }) => {
  const count = find(`[data-count="${id}"]`);
  if (count) count.textContent = [...value].length.toLocaleString(lang);
  const { preview } = form?.dataset ?? {};
  if (!preview) return;
  clearTimeout(timer);
  timer = setTimeout(() => void show(form as HTMLFormElement, preview), PAUSE);
});

async function show(form: HTMLFormElement, address: string): Promise<void> {
  latest?.abort();
  latest = new AbortController();
  const body = new FormData(form);
  for (const { name } of all<HTMLInputElement>('[type=file]', form)) body.delete(name);
  const html = await fetch(address, { method: 'POST', body, signal: latest.signal })
    .then((answer) => answer.text())
    .catch(() => '');
  const shown = new DOMParser().parseFromString(html, 'text/html');
  for (const { id, innerHTML } of all('[data-part]', shown)) {
    const part = byId(id);
    if (part && part.innerHTML !== innerHTML) patch(part, innerHTML);
  }
}

on('click', ({ dataset }) => {
  const field = byId(dataset.insert as string) as HTMLTextAreaElement | null;
  if (!field) return;
  const used = [...field.value.matchAll(/\{\{\D*(\d+)/g)].map(([, number]) => Number(number));
  const name = find('[value=NAMED]:checked') ? 'value_' : '';
  const { selectionStart: start, selectionEnd: end } = field;
  field.setRangeText(`{{${name}${Math.max(0, ...used) + 1}}}`, start, end, 'end');
  field.focus();
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
});

for (const button of all('[data-insert]')) button.hidden = false;
