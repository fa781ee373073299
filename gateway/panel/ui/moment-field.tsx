import { type VNode } from 'preact';
import { isoTime } from '../../time';
import { Zone } from './parts';

/** A date and time in UTC. With script, shown in the reader's zone and submitted in UTC. */
export function MomentField({ name, label, at }: { name: string; label: string; at: string }): VNode {
  return (
    <div class="field">
      <label for={`field-${name}`}>
        {label}{' '}
        <span class="optional">
          (<Zone />)
        </span>
      </label>
      <input
        id={`field-${name}`}
        name={name}
        type="datetime-local"
        value={at.slice(0, at.endsWith(':00.000Z') ? 16 : 19)}
        autocomplete="off"
        data-moment=""
      />
    </div>
  );
}

/** Parses ISO 8601 with at least a date; without a zone, UTC. Empty if invalid. */
export function momentOf(text: string): string {
  const [, day, hour, zone] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const time = Date.parse(`${day}T${hour ?? '00:00'}${zone ?? 'Z'}`);
  return time >= 0 ? isoTime(time) : '';
}
