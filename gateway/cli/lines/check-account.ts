import { cloudApi } from '../../cloud-api/client';
import { readConfig } from '../../config';
import { invalidField } from '../../errors';
import { createHttpClient } from '../../http/http-client';
import { isOfOtherAccount } from '../../lines/check-credentials';
import { SECOND } from '../../time';
import { fact } from '../../wording/facts';

/** A command is not kept waiting longer by a platform that does not answer. */
const TIMEOUT = 5 * SECOND;
const ANSWER_LIMIT = 4 * 1024 * 1024;

/**
 * Asks the platform whether the phone number belongs to the business account. If the platform cannot be
 * reached, the check passes; the sandbox within a gateway knows every line of the gateway.
 * @throws Refusal if the number belongs to another account
 */
export async function checkAccount(
  env: NodeJS.ProcessEnv,
  credentials: Parameters<typeof isOfOtherAccount>[1],
): Promise<void> {
  const { GATEWAY_UPSTREAM_URL: address } = readConfig(env);
  if (address === 'sandbox') return;
  const http = createHttpClient({ maxAnswerBytes: ANSWER_LIMIT, brokenBody: 'fails' });
  try {
    if (await isOfOtherAccount(cloudApi(http, address, TIMEOUT), credentials))
      throw invalidField('waba_id', 'line_field', fact('platform.other_account', {}));
  } finally {
    await http.close();
  }
}
