import { type VNode } from 'preact';

/**
 * The panel's icons, each one path on 24 × 24. An icon library would add a thousand unused icons and another
 * request.
 */
const ICONS = {
  overview: 'M4 4h7v8H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 14h7v6H4z',
  lines: 'M6 3h3l2 5-2.5 1.6a12 12 0 0 0 5.9 5.9L16 13l5 2v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3z',
  tokens: 'M20 8.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM12.3 11.7 4 20M7 17l2.5 2.5',
  'admin-tokens': 'M20 8.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM12.3 11.7 4 20M7 17l2.5 2.5M4 4h4M6 2v4',
  templates: 'M5 3h14v18H5zM8.5 8h7M8.5 12h7M8.5 16h4',
  messages: 'M3 11.5 21 3l-6.5 18-3.5-7.5zM21 3 11 13.5',
  events: 'M3 12h4l3-8 4 16 3-8h4',
  usage: 'M3 21h18M6 21V12h3v9M11 21V5h3v16M16 21v-6h3v6',
  conversations: 'M3 4h13v9H9l-4 3v-3H3zM19 8h2v9h-2v3l-4-3H9',
  phone: 'M7 2h10v20H7zM11 18.5h2',
  start: 'M5 21V4h12l-2.5 4L17 12H5',
  alerts: 'M6 16v-6a6 6 0 1 1 12 0v6l2 2.5H4zM10 21.5h4',
  customers: 'M4 21V5h9v16M13 10h7v11M2 21h20M7 9h3M7 13h3M7 17h3M16 14h1M16 17h1',
  users:
    'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c.5-4 3-6.5 7-6.5s6.5 2.5 7 6.5M16 3.6a4 4 0 0 1 0 6.8M19 15c1.7 1 2.7 3 3 6',
  audit: 'M12 3l8 3v6c0 4.5-3.3 7.8-8 9.5C7.3 19.8 4 16.5 4 12V6zM8.5 12l2.5 2.5 4.5-5',
  backups: 'M12 3v12l-5-5M12 15l5-5M4 20h16',
  docs: 'M4 5c3-1.5 6-1.5 8 0 2-1.5 5-1.5 8 0v14c-3-1.5-6-1.5-8 0-2-1.5-5-1.5-8 0zM12 5v14',
} satisfies Record<string, string>;

export type IconName = keyof typeof ICONS;

export const isIcon = (name: string): name is IconName => Object.hasOwn(ICONS, name);

/** Decorative: a word beside the icon says the same. */
export const Icon = ({ of }: { of: IconName }): VNode => (
  <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
    <path d={ICONS[of]} />
  </svg>
);
