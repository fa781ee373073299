import { cloudApi } from '../../cloud-api/client';
import { readConfig } from '../../config';
import { invalidField } from '../../errors';
import { createHttpClient } from '../../http/http-client';
import { isOfOtherAccount } from '../../lines/check-credentials';
import { SECOND } from '../../time';
import { fact } from '../../wording/facts';

/** How long a command waits for the platform's answer. */
const TIMEOUT = 5 * SECOND;
const ANSWER_LIMIT = 4 * 1024 * 1024;

/**
 * Checks with the platform that the phone number belongs to the business account. Passes if the platform
 * cannot be reached; the embedded sandbox knows every line.
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
