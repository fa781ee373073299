import { refusalOfFailure } from '../../cloud-api/failures';
import { traceOf, traceparent } from '../../http/trace-context';
import { type Line } from '../../lines/line';
import { refuseByQuality } from '../../lines/quality';
import { refuseLine } from '../access/authenticate-line';
import { type ApiDeps } from '../operation';
import { sendOne, type Sender } from './send-message';

/**
 * Sends a message without a token: for an operator in the panel, or as an alert. The checks are those of the API, in the
 * same order.
 * @returns sends one. `key` is its Idempotency-Key, so that a form that is submitted twice sends one message; null: none
 * @throws Refusal, also for every failure of the platform
 */
export const sendForOperator =
  (deps: ApiDeps & { log: Sender['log'] }) =>
  async (
    line: Line,
    body: Record<string, unknown>,
    key: string | null,
  ): Promise<{ wamid: string; isReplayed: boolean }> => {
    const refused =
      refuseLine(line) ?? (await deps.sendRates.takeLine(line.id))?.refused ?? refuseByQuality(line);
    if (refused) throw refused;
    const trace = traceOf(undefined);
    // Kept even if the line does not keep what programs send: colleagues need to see it.
    const sender = {
      line,
      isKept: true,
      requestId: trace.id,
      traceparent: traceparent(trace),
      log: deps.log,
    };
    const parsed = { value: body, raw: Buffer.from(JSON.stringify(body)) };
    const sent = await sendOne(deps, sender, parsed, () => (key === null ? undefined : [key])).catch(
      (error: unknown) => {
        throw refusalOfFailure(error) ?? error;
      },
    );
    const { chat_message_id: wamid } = sent.answer as { chat_message_id?: string };
    return { wamid: wamid ?? '', isReplayed: sent.isReplayed };
  };
