import { type ComponentChildren, type VNode } from 'preact';

/** The menu beside a chat's text field, for other kinds of messages. It opens upwards. */
export const Attach = ({ label, children }: { label: string; children: ComponentChildren }): VNode => (
  <details class="attach">
    <summary>
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <path d="M12 5v14M5 12h14" />
      </svg>
      <span class="sr-only">{label}</span>
    </summary>
    {children}
  </details>
);
