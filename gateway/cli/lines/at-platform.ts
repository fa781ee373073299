import { cloudApi, type CloudApi } from '../../cloud-api/client';
import { refusalOfFailure } from '../../cloud-api/failures';
import { at, inside, parsed, textOf } from '../../cloud-api/json/json-value';
import { readConfig } from '../../config';
import { SettingError, type Refusal } from '../../errors';
import { createHttpClient } from '../../http/http-client';
import { lineOf, type Line } from '../../lines/line';
import { lineRegistry, type LineRegistry } from '../../lines/line-registry';
import { changesAtPlatform } from '../../management/change-at-platform';
import { type TemplateChangeDeps } from '../../management/templates';
import { KnownTemplates } from '../../templates/known-templates';
import { templateSync } from '../../templates/sync-templates';
import { lineByTid, offline, type Offline } from '../offline';
import { oneLine } from '../print';

/** Largest answer of the platform in bytes, which a list of templates may have. */
const ANSWER_LIMIT = 32 * 1024 * 1024;
const FAILED = 1;

export type AtPlatform = Offline & TemplateChangeDeps & { lines: LineRegistry; cloudApi: CloudApi };

/**
 * Runs a command that reads or changes what the platform manages for a line.
 * @param tid the words that name the line
 * @returns the exit code, that of `work` if it was done; undefined for 0
 */
export async function atPlatform(
  env: NodeJS.ProcessEnv,
  tid: string[],
  work: (deps: AtPlatform, line: Line) => Promise<number | void>,
): Promise<number | void> {
  const { GATEWAY_UPSTREAM_URL: address } = readConfig(env);
  if (address === 'sandbox')
    throw new SettingError(
      'GATEWAY_UPSTREAM_URL is "sandbox": commands cannot reach the sandbox inside a running gateway. Use the API of the gateway.',
    );
  const http = createHttpClient({ maxAnswerBytes: ANSWER_LIMIT, brokenBody: 'fails' });
  try {
    return await offline(env, async (deps) => {
      const line = lineOf(await lineByTid(deps.store, tid), deps.vault);
      return work(await withPlatform(deps, cloudApi(http, address)), line);
    });
  } catch (error) {
    printFailure(error);
    return FAILED;
  } finally {
    await http.close();
  }
}

/** Prints why a call to the platform failed. @throws any other error */
export function printFailure(error: unknown): void {
  const refusal = refusalOfFailure(error);
  if (!refusal) throw error;
  process.stderr.write(`${oneLine(sentenceOf(refusal))}\n`);
}

/** @param platform the API of the platform */
export async function withPlatform(deps: Offline, platform: CloudApi): Promise<AtPlatform> {
  const { store, vault, clock } = deps;
  const warn = (_: object, message: string) => void process.stderr.write(`${message}\n`);
  const log = { warn, error: warn };
  const lines = lineRegistry(store, vault, clock, log);
  await lines.load();
  const knownTemplates = new KnownTemplates(store);
  const { readTemplates } = templateSync({
    ...{ store, knownTemplates, clock, log, cloudApi: platform },
    noticeStatus: () => {},
  });
  return {
    ...deps,
    ...{ lines, knownTemplates, readTemplates, log, cloudApi: platform },
    changeAtPlatform: changesAtPlatform({ ...deps, cloudApi: platform }),
  };
}

/** The platform's error has its reason in one of two fields. */
function sentenceOf({ error, message }: Refusal): string {
  if (!('verbatim' in error)) return error.error_data?.details ?? message;
  const said = parsed(error.verbatim);
  const data = inside(said, 'error_data');
  const reason = textOf(at(said, 'error_user_msg') ?? at(data, 'details'));
  return [`The platform refused: ${textOf(at(said, 'message'))}`, reason, textOf(at(data, 'action'))]
    .filter(Boolean)
    .join(' ');
}
