import { createContext } from 'preact';
import { knownLanguage, languageAccepted, type Language } from '../../../wording/language';

/** The appearance that a user chose. Undefined values follow the browser. */
export interface Look {
  theme?: 'light' | 'dark';
  /** Such as `America/Sao_Paulo`. */
  zone?: string;
  language?: Language;
}

/** The appearance of the current page. */
export const LookContext = createContext<Look>({});

const THEMES = ['light', 'dark'] as const;

/**
 * Validates a time zone.
 * @param text in any case, with spaces or underscores; old zone names are accepted
 * @returns the current name; null if unknown
 */
export function zoneNamed(text: string): string | null {
  try {
    const timeZone = text.replaceAll(' ', '_');
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** The cookie's format: `dark.America/Sao_Paulo.pt`. Parts that were not chosen are empty. */
export const lookText = ({ theme, zone, language }: Look): string =>
  [theme, zone, language].map((one) => one ?? '').join('.');

/** @param text any text from the browser */
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
