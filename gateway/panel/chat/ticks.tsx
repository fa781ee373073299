import { type VNode } from 'preact';

interface TicksProps {
  /** One tick for sent, two for delivered, two blue ones for read. */
  of: 'sent' | 'delivered' | 'read';
  /** The text alternative. */
  words: string;
}

/** The status of a message, shown as in WhatsApp. */
export const Ticks = ({ of, words }: TicksProps): VNode => (
  <span class="ticks" title={words}>
    <svg
      class="tick"
      data-read={of === 'read' ? '' : undefined}
      viewBox="0 0 22 14"
      width="20"
      height="13"
      aria-hidden="true"
    >
      <path d={of === 'sent' ? 'M6 7l4 4 8-9' : 'M2 7l4 4 8-9M10 10.5l.8.8 8-9.3'} />
    </svg>
    <span class="sr-only">{words}</span>
  </span>
);
