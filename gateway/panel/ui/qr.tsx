import { type VNode } from 'preact';
import { encode } from 'uqr';

/** A QR code, drawn in the page, so that no other service gets its content. */
export function QrCode({ text, label }: { text: string; label: string }): VNode {
  const { data, size } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
