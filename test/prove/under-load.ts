import { rows } from '../support/rows';
import { faultsOf, settle, untilTaken, type Account } from './account';
import { type Gateway, launchWithLine, urlOf } from './gateway';
import { askForTemplates, type Customer } from './outage';
import { contactsOf, produce, type Producer } from './producer';
import { type Report, type Stage } from './proof';
import { startReceiver, type Receiver } from './receiver';

/**
 * A gateway with one line and one receiver; the platform posts at a steady rate, and a customer sends
 * requests.
 */
export interface UnderLoad {
  env: Record<string, string>;
  gateway: Gateway;
  receiver: Receiver;
  producer: Producer;
  customer: Customer;
  /**
   * Stops the platform, waits until every acknowledged event has arrived, and settles the account. Then kills
   * the gateway and checks that acknowledged events are in the database.
   */
  finish(within?: number): Promise<{ account: Account } & Report>;
}

/** @param more additional settings */
export async function setUnderLoad(
  stage: Stage,
  rate: number,
  more: Record<string, string> = {},
): Promise<UnderLoad> {
  const receiver = await startReceiver();
  stage.atEnd(receiver.close);
  const { env, token, gateway } = await launchWithLine(
    stage,
    ['--forward-url', `${receiver.url}/hook`],
    more,
  );
  const producer = produce({
    url: () => urlOf(env),
    count: Infinity,
    contacts: contactsOf(200),
    atOnce: 32,
    rate,
    repeatAfter: 200,
  });
  const customer = askForTemplates(urlOf(env), token);
  stage.atEnd(producer.stop);
  stage.atEnd(customer.stop);
  let restarted = false;
  void gateway.ended.then(() => (restarted = true));

  return {
    env,
    gateway,
    receiver,
    producer,
    customer,
    async finish(within = 120_000) {
      customer.stop();
      producer.stop();
      await producer.done;
      const isAllTaken = await untilTaken([producer], [receiver], within);
      const account = settle([producer], receiver.arrivals);
      const faults = faultsOf(account);
      if (restarted) faults.push('The gateway ended by itself');
      if (!isAllTaken) faults.push('Not all that was acknowledged had arrived in the end');
      if (account.repeated.length) faults.push(`${account.repeated.length} events were repeated`);
      await gateway.end('SIGKILL');
      const stored = new Set(
        (await rows(stage.databaseUrl, 'select wamid from events')).map(({ wamid }) => wamid),
      );
      const missing = producer.acknowledged().filter(({ wamid }) => !stored.has(wamid)).length;
      if (missing) faults.push(`${missing} acknowledged events are not in the database`);
      return {
        account,
        figures: {
          'events acknowledged': account.acknowledged,
          lost: account.lost.length,
          'not in the database after a kill': missing,
          repeated: account.repeated.length,
          'first attempts out of order': account.outOfOrder.length,
        },
        faults,
      };
    },
  };
}
