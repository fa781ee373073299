/** Access to the page and the reader's settings. */

type Within = ParentNode;

export const all = <One extends HTMLElement = HTMLElement>(
  selector: string,
  within: Within = document,
): NodeListOf<One> => within.querySelectorAll<One>(selector);

export const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;

/** Typed as non-null; use `?.` if the element may be missing. */
export const find = <One extends HTMLElement = HTMLElement>(
  selector: string,
  within: Within = document,
): One => within.querySelector<One>(selector) as One;

/** Elements with a submitted value. */
export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Listens on the window, so that elements inserted later work too. */
export function on<Type extends keyof WindowEventMap, Target extends HTMLElement = HTMLElement>(
  type: Type,
  listener: (target: Target, event: WindowEventMap[Type]) => unknown,
  options?: AddEventListenerOptions,
): void {
  addEventListener(type, (event) => void listener(event.target as Target, event), options);
}

/** The script's texts, in the language of the page. */
export const words = { ...(document.currentScript as HTMLElement).dataset } as Record<string, string>;

const { dataset, lang } = document.documentElement;

export { lang };

/** The locale for dates. undefined, the browser's locale, if its language is the page's language. */
export const locale = navigator.language.startsWith(lang.slice(0, 2)) ? undefined : lang;

/** The time zone of the profile; without one, the browser's zone. */
export const inZone = { timeZone: dataset.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone };

export const isDialogOpen = (within: Within = document): boolean => Boolean(find('dialog[open]', within));
