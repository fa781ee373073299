import { hostname } from 'node:os';
import { type FastifyBaseLogger } from 'fastify';
import { type Config } from './config';
import { SettingError } from './errors';
import { sqliteFile } from './files/data-folder';
import { type RunningGateway } from './gateway';
import { hasAllRoles, roleText } from './process-roles';
import { openStoreOnceThere } from './store/wait-for-store';
import { type Clock } from './time';

/**
 * Starts the gateway. The database opens while the rest of the program loads: SQLite's thread starts on another core,
 * and PostgreSQL's server answers meanwhile.
 * @param given clock of the caller; null: the clock of the database
 * @param pollsByItself false if the caller moves the clock and starts due work
 * @param demoToken token of the demo line, which the panel shows to operators; null if there is none
 * @param ends stops waiting for an unavailable database
 * @throws SettingError if the gateway cannot run with these settings
 */
export async function startGateway(
  config: Config,
  log: FastifyBaseLogger,
  given: Clock | null = null,
  pollsByItself = true,
  demoToken: string | null = null,
  ends?: AbortSignal,
): Promise<RunningGateway> {
  refuseRoles(config);
  const processName = config.GATEWAY_PROCESS_NAME ?? `${hostname()}:${config.GATEWAY_PORT}`;
  const { GATEWAY_DATABASE_URL: url, GATEWAY_DATABASE_SESSION_URL: session } = config;
  const [store, { runGateway }] = await Promise.all([
    openStoreOnceThere({ url, session: session ?? url, processName, log }, ends),
    import('./gateway.js'),
    // `server.ts` would load it later.
    config.GATEWAY_ROLES.has('panel') && import('./panel/routes.js'),
  ]);
  if (store.migrated) log.info(store.migrated, 'the database was brought up to date');
  return runGateway({ store, config, log, clock: given ?? store.clock, pollsByItself, demoToken });
}

/** Logs that the gateway is listening. Programs that start the gateway wait for this log line. */
export const tellListening = (log: FastifyBaseLogger, { url, roles, sandboxUrl }: RunningGateway): void =>
  log.info({ url, roles, ...(sandboxUrl !== null && { sandbox: sandboxUrl }) }, 'listening');

function refuseRoles({ GATEWAY_ROLES: roles, ...config }: Config): void {
  if (hasAllRoles(roles)) return;
  const own = `GATEWAY_ROLES is ${roleText(roles)}, which leaves the rest to other processes`;
  if (sqliteFile(config) !== null)
    throw new SettingError(
      `${own}, but a SQLite database can have only one. Remove GATEWAY_ROLES, or set GATEWAY_DATABASE_URL to a PostgreSQL.`,
    );
  if (config.GATEWAY_UPSTREAM_URL === 'sandbox')
    throw new SettingError(
      `${own}, but the sandbox of GATEWAY_UPSTREAM_URL runs inside one process. Remove GATEWAY_ROLES, or set GATEWAY_UPSTREAM_URL to the address of a sandbox or of the platform.`,
    );
  if (config.GATEWAY_PUBLIC_URL === null)
    throw new SettingError(
      `${own}, so the address of this process cannot be used in links. Set GATEWAY_PUBLIC_URL to the address of the proxy in front of all processes, for example https://gateway.example.com.`,
    );
}
