import { createContext } from 'preact';
import { knownLanguage, languageAccepted, type Language } from '../../../wording/language';

/** How a user wants pages to look: undefined as the browser has it. */
export interface Look {
  theme?: 'light' | 'dark';
  /** As `America/Sao_Paulo`. */
  zone?: string;
  language?: Language;
}

/** Of the page that is being made. */
export const LookContext = createContext<Look>({});

export const THEMES = ['light', 'dark'] as const;

/** @param text in any case, by an older name too, with spaces or without @returns as a cookie keeps it; null where none is called that */
export function zoneNamed(text: string): string | null {
  try {
    const timeZone = text.replaceAll(' ', '_');
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** As the cookie keeps it: `dark.America/Sao_Paulo.pt`, each of them empty where it was not chosen. */
export const lookText = ({ theme, zone, language }: Look): string =>
  [theme, zone, language].map((one) => one ?? '').join('.');

/** @param text as the browser sent it: anything */
export function readLook(text: string | undefined): Look {
  const [theme, zone, tongue] = (text ?? '').split('.');
  const known = THEMES.find((one) => one === theme);
  const timeZone = zone && zoneNamed(zone);
  const language = knownLanguage(tongue);
  return {
    ...(known && { theme: known }),
    ...(timeZone && { zone: timeZone }),
    ...(language && { language }),
  };
}

/** @param accepted the `Accept-Language` of the request */
export const languageOf = ({ language }: Look, accepted: string | undefined): Language =>
  language ?? languageAccepted(accepted);
