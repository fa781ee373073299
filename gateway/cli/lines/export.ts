import { once } from 'node:events';
import { SettingError } from '../../errors';
import { EXPORT_FORMATS, type ExportFormat } from '../../export-file';
import { exportEvents } from '../../forwarding/export-events';
import { exportMessages } from '../../messages/export-messages';
import { eventIdBefore } from '../../store/event-id';
import { type EventTable } from '../../store/schema';
import { isoTime } from '../../time';
import { commandActor, lineByTid, offline, timeOf, type Offline } from '../offline';
import { optionsOf } from '../options';

interface Asked {
  lineId?: number;
  /** Times in milliseconds: from the first, before the second. */
  from?: number;
  to?: number;
  format: ExportFormat;
  /** The options as given, for the audit entry. */
  details: Record<string, unknown>;
}

type Export = (deps: Offline, asked: Asked) => Promise<AsyncGenerator<string>>;

/** Prints events as received with their deliveries, as one JSON object per line or as CSV. */
export const deliveriesExport = printed((deps, { lineId, from, to, format, details }) =>
  exportEvents(
    deps,
    commandActor(),
    {
      ...(lineId !== undefined && { lineId }),
      ...(from !== undefined && { from: eventIdBefore(from) }),
      ...(to !== undefined && { to: eventIdBefore(to) }),
      subjects: EACH_ONCE,
    },
    format,
    details,
  ),
);

/** Excludes whole notifications, whose events are exported separately. */
const EACH_ONCE: EventTable['subject'][] = ['message', 'echo', 'messageStatus', 'account'];

/** Prints sent messages with their times and pricing, as one JSON object per line or as CSV. */
export const messagesExport = printed((deps, { lineId, from, to, format, details }) => {
  const search = {
    ...(lineId !== undefined && { lineId }),
    ...(from !== undefined && { from: isoTime(from) }),
    ...(to !== undefined && { to: isoTime(to) }),
  };
  const pages = deps.store.messageList.page;
  return exportMessages(deps, commandActor(), (after, limit) => pages(search, after, limit), format, details);
});

function printed(exported: Export): (args: string[], env: NodeJS.ProcessEnv) => Promise<void> {
  return async (args, env) => {
    const values = optionsOf(args, { text: ['line', 'from', 'to', 'format'] });
    const { line, from, to, format: asked = 'ndjson' } = values;
    const format = EXPORT_FORMATS.find((one) => one === asked);
    if (!format) throw new SettingError(`--format is "${asked}"; it takes ${EXPORT_FORMATS.join(' or ')}.`);
    const range = {
      ...(from !== undefined && { from: timeOf('--from', from) }),
      ...(to !== undefined && { to: timeOf('--to', to) }),
    };
    await offline(env, async (deps) => {
      const lineId = line === undefined ? {} : { lineId: (await lineByTid(deps.store, [line])).id };
      const written = await exported(deps, { ...range, ...lineId, format, details: { line, from, to } });
      for await (const text of written) if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    });
  };
}
