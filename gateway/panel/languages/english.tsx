import { type ComponentChildren, type VNode } from 'preact';
import { languageNow } from './language';

/** What comes from the platform, the API or an alert, and is English on every page: screen readers are told. */
export const English = ({ children }: { children: ComponentChildren }): VNode =>
  languageNow() === 'en' ? <>{children}</> : <span lang="en">{children}</span>;
