import { createContext } from 'preact';

/** How a user wants pages to look: undefined as the browser has it. */
export interface Look {
  theme?: 'light' | 'dark';
  /** As `America/Sao_Paulo`. */
  zone?: string;
}

/** Of the page that is being made. */
export const LookContext = createContext<Look>({});

export const THEMES = ['light', 'dark'] as const;

export const ZONES: readonly string[] = Intl.supportedValuesOf('timeZone');

/** As the cookie keeps it: `dark.America/Sao_Paulo`, either of them empty. */
export const lookText = ({ theme, zone }: Look): string => `${theme ?? ''}.${zone ?? ''}`;

/** @param text as the browser sent it: anything */
export function readLook(text: string | undefined): Look {
  const [theme, zone] = (text ?? '').split('.');
  const known = THEMES.find((one) => one === theme);
  return { ...(known && { theme: known }), ...(zone && ZONES.includes(zone) && { zone }) };
}
