import { refusalOfFailure } from '../../cloud-api/failures';
import { traceOf, traceparent } from '../../http/trace-context';
import { type Line } from '../../lines/line';
import { refuseByQuality } from '../../lines/quality';
import { refuseLine } from '../access/authenticate-line';
import { type ApiDeps } from '../operation';
import { sendOne, type Sender } from './send-message';

/**
 * Sends a message for somebody who has no token: an operator, in the panel. What is checked, and in which order, is as for
 * a customer.
 * @returns sends one. `key` is its Idempotency-Key, so that a form that is sent twice sends one message
 * @throws Refusal, also for whatever the platform answered
 */
export const sendForOperator =
  (deps: ApiDeps & { log: Sender['log'] }) =>
  async (
    line: Line,
    body: Record<string, unknown>,
    key: string,
  ): Promise<{ wamid: string; isReplayed: boolean }> => {
    const refused =
      refuseLine(line) ?? (await deps.sendRates.takeLine(line.id))?.refused ?? refuseByQuality(line);
    if (refused) throw refused;
    const trace = traceOf(undefined);
    const sender = { line, requestId: trace.id, traceparent: traceparent(trace), log: deps.log };
    const parsed = { value: body, raw: Buffer.from(JSON.stringify(body)) };
    const sent = await sendOne(deps, sender, parsed, () => [key]).catch((error: unknown) => {
      throw refusalOfFailure(error) ?? error;
    });
    const { chat_message_id: wamid } = sent.answer as { chat_message_id?: string };
    return { wamid: wamid ?? '', isReplayed: sent.isReplayed };
  };
