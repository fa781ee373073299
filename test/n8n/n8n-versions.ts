/** One release of n8n that can be installed from the npm registry, and what must be bent for that. */
export interface N8nRelease {
  /** Exact versions in place of those that n8n asks for. Keys as pnpm reads them: `package` or `parent>package`. */
  overrides: Record<string, string>;
  /** Settings (environment variables) that only this release knows. */
  environment: Record<string, string>;
}

/** n8n takes xlsx from an address outside the registry. */
const XLSX = { xlsx: '0.18.5' };

/** sqlite3 is compiled where no ready binary can be had; the node-gyp that it names fails on Python 3.12 and later. */
const SQLITE3_BUILD = { 'sqlite3>node-gyp': '12.x' };

/**
 * Every n8n that the tests can run on. All of them run on the pinned Node 24.
 * To add one: copy a row, try `npm run n8n -- VERSION`, and override what the registry says it does not have.
 */
export const N8N_RELEASES: Record<string, N8nRelease> = {
  '2.41.1': {
    overrides: {
      ...XLSX,
      ...SQLITE3_BUILD,
      linkedom: '0.18.12',
      '@langchain/langgraph': '1.4.18',
      '@langchain/langgraph-sdk': '1.12.4',
    },
    environment: { N8N_DISABLED_MODULES: 'mcp-registry' },
  },
  '2.8.4': {
    overrides: {
      ...XLSX,
      ...SQLITE3_BUILD,
      linkedom: '0.18.12',
      '@langchain/langgraph': '1.0.2',
      '@langchain/langgraph-checkpoint': '1.0.0',
      '@langchain/langgraph-sdk': '1.0.2',
    },
    environment: {},
  },
};

/** The newest release whose packages are all in the registry. */
export const NEWEST_N8N = '2.41.1';

/** The release of that version. An unknown version is refused with the list of the known ones. */
export function releaseOf(version: string): N8nRelease {
  const release = N8N_RELEASES[version];
  if (release) return release;
  const known = Object.keys(N8N_RELEASES).join(', ');
  throw new Error(`n8n ${version} is not in test/n8n/n8n-versions.ts; it has ${known}.`);
}
