/** What every behaviour needs to know of the page and its reader. */

type Within = ParentNode;

export const all = <One extends HTMLElement = HTMLElement>(
  selector: string,
  within: Within = document,
): NodeListOf<One> => within.querySelectorAll<One>(selector);

export const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

/** To be checked with `?.` if the page may be without it. */
export const find = <One extends HTMLElement = HTMLElement>(
  selector: string,
  within: Within = document,
): One => within.querySelector<One>(selector) as One;

/** Any of the elements that a form sends. */
export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Listens on the whole window, so that it works for parts of the page that come later. */
export function on<Type extends keyof WindowEventMap, Target extends HTMLElement = HTMLElement>(
  type: Type,
  listener: (target: Target, event: WindowEventMap[Type]) => unknown,
  options?: AddEventListenerOptions,
): void {
  addEventListener(type, (event) => void listener(event.target as Target, event), options);
}

/** Sentences of the script, in the language of the page. */
export const words = { ...(document.currentScript as HTMLElement).dataset } as Record<string, string>;

const { dataset, lang } = document.documentElement;

export { lang };

/** The language of the page, as the browser's country writes it if that speaks it too. */
export const locale = navigator.language.startsWith(lang.slice(0, 2)) ? undefined : lang;

/** The time zone of the profile; without one, that of the browser. */
export const inZone = { timeZone: dataset.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone };

export const isDialogOpen = (within: Within = document): boolean => Boolean(find('dialog[open]', within));
