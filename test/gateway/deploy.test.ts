import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../gateway/config';
import { DATABASES } from '../support/databases';
import { settings, startTestGateway } from '../support/test-gateway';

const FOLDER = join(__dirname, '../../gateway/deploy');
const files = readdirSync(FOLDER);
const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const documentsOf = (file: string) =>
  parseAllDocuments(readFileSync(resolve(FOLDER, file), 'utf8'), { merge: true }).map((document) => {
    expect([file, document.errors, document.warnings]).toEqual([file, [], []]);
    return document.toJS() as Record<string, never>;
  });

interface Compose {
  services: Record<
    string,
    { secrets?: string[]; volumes?: string[]; networks?: string[] } & Record<string, unknown>
  >;
  secrets?: object;
  volumes?: object;
  networks?: object;
}

/** The comment that a file begins with. */
const firstLinesOf = (file: string): string => /^(#.*\n)+/.exec(textOf(file))?.[0] ?? '';

describe('the files for deployment', () => {
  test('name only settings that there are', () => {
    for (const file of files) {
      const named = textOf(file).match(/\bGATEWAY_[A-Z_]+/g) ?? [];
      // Of the compose files alone.
      const own = ['GATEWAY_DOMAIN', 'GATEWAY_UPSTREAMS'];
      const strange = named
        .map((name) => name.replace(/_FILE$/, ''))
        .filter((name) => !own.includes(name) && !(name in SETTINGS));
      expect([file, strange]).toEqual([file, []]);
    }
  });

  test('name only metrics that there are', async () => {
    const gateway = await startTestGateway(settings((await DATABASES[0]?.createUrl()) ?? ''));
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    await gateway.stop();
    const there = [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    );
    for (const file of ['grafana-dashboard.json', 'prometheus-rules.yml']) {
      const named = textOf(file).match(/\b(gateway|process|nodejs)_[a-z0-9_]+/g) ?? [];
      expect(named.length).toBeGreaterThan(5);
      expect([file, named.filter((name) => !there.includes(name))]).toEqual([file, []]);
      // What falls again would count as one that began anew.
      const counted = [...textOf(file).matchAll(/\b(?:rate|increase)\((\w+)/g)].map(([, name]) => name ?? '');
      const gauges = counted.filter((name) => metrics.includes(`# TYPE ${name} gauge`));
      expect([file, gauges]).toEqual([file, []]);
    }
  });

  test.each(files.filter((file) => file.startsWith('compose')))('%s uses only what is declared', (file) => {
    // One adds to the other.
    const [base, own] = [documentsOf('compose.yml')[0], documentsOf(file)[0]] as unknown as [
      Compose,
      Compose,
    ];
    const declared = (part: 'secrets' | 'volumes' | 'networks') => [
      ...Object.keys(own[part] ?? {}),
      ...(file === 'compose.n8n.yml' ? Object.keys(base[part] ?? {}) : []),
    ];
    for (const { secrets = [], volumes = [], networks = [] } of Object.values(own.services)) {
      expect(declared('secrets')).toEqual(expect.arrayContaining(secrets));
      expect(declared('networks')).toEqual(expect.arrayContaining(networks));
      const named = volumes.map((volume) => volume.split(':')[0] ?? '').filter((name) => !/^[./]/.test(name));
      expect(declared('volumes')).toEqual(expect.arrayContaining(named));
      const mounted = volumes.flatMap((volume) =>
        volume.startsWith('./') ? [volume.slice(2).split(':')[0]] : [],
      );
      // What is made by following the first lines of the file.
      const made = mounted.filter((name = '') => !files.includes(name));
      for (const name of made) expect(firstLinesOf(file)).toMatch(new RegExp(`(mkdir|mv) .*\\b${name}\\b`));
    }
  });

  test.each(files.filter((file) => file.startsWith('compose')))('%s keeps logs within bounds', (file) => {
    const [{ services }] = documentsOf(file) as unknown as [Compose];
    const running = Object.values(services).filter(({ image, restart }) => image && restart);
    expect(running.length).toBeGreaterThan(0);
    for (const { logging } of running)
      expect(logging).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } });
  });

  test('keep backups out of the volume of the database, in a folder of the host', () => {
    for (const file of ['compose.yml', 'compose.proxyless.yml']) {
      const [{ services }] = documentsOf(file) as unknown as [Compose];
      expect(services.gateway).toMatchObject({
        environment: { GATEWAY_BACKUP_DIR: '/backups' },
        volumes: ['data:/data', './backups:/backups'],
      });
      expect(firstLinesOf(file)).toMatch(/^# To upgrade: .* backup \/backups\//m);
      expect(firstLinesOf(file)).toMatch(/^# To restore: .* restore \/backups\/FILE;/m);
    }
  });

  test('open no more of a private network than one port, and trust no network of all', () => {
    for (const file of files) {
      const allowed = [...textOf(file).matchAll(/GATEWAY_ALLOW_DESTINATIONS: (\S+)/g)];
      for (const [, entry] of allowed) expect([file, entry]).toEqual([file, 'n8n:5678']);
      expect([file, textOf(file)]).not.toEqual([
        file,
        expect.stringMatching(/TRUSTED_PROXIES.*\/(8|12|16)\b/),
      ]);
    }
  });

  test('make keys and passwords that only their owner reads, from the first moment', () => {
    for (const file of files)
      for (const [line] of textOf(file).matchAll(/^#.*(?:urandom|openssl rand|echo "postgres:).*$/gm))
        expect([file, line]).toEqual([file, expect.stringContaining('umask 077')]);
  });

  test('are followed as they are written: no command lacks a variable that was set for another', () => {
    for (const file of files.filter((name) => name.startsWith('compose'))) {
      expect(textOf(file)).not.toMatch(/^#.*[A-Z]=\S+ (\\\n#)?.*docker compose/m);
      for (const [, variable] of textOf(file).matchAll(/\$\{(\w+):\?/g))
        expect(textOf(file)).toMatch(new RegExp(`^#.*\\b${variable}=\\S+.* > \\.env$`, 'm'));
    }
  });

  test('keep keys and passwords out of the repository and out of the image', () => {
    const lines = (file: string) => readFileSync(join(FOLDER, '../..', file), 'utf8').split('\n');
    const secrets = files
      .filter((file) => file.startsWith('compose'))
      .flatMap((file) => [...textOf(file).matchAll(/file: \.\/([\w-]+)/g)].map(([, name]) => name));
    expect(secrets).toContain('secret-key');
    expect(lines('.gitignore')).toEqual(expect.arrayContaining(['.env', ...secrets]));
    expect(lines('gateway/Dockerfile.dockerignore')).toContain('gateway/deploy');
  });

  test('leave no source of the gateway out of the image', () => {
    const ignored = readFileSync(join(FOLDER, '../Dockerfile.dockerignore'), 'utf8').match(
      /(?<=^\*\*\/).+/gm,
    );
    const sources = globSync('**/*.ts', {
      cwd: join(FOLDER, '..'),
      exclude: (path) => /^(node_modules|dist|build)$/.test(basename(path)),
    });
    const left = sources.filter((file) => ignored?.some((folder) => file.split(sep).includes(folder)));
    expect(left).toEqual([]);
    expect(sources.length).toBeGreaterThan(300);
  });

  test('start n8n with the nodes in it', () => {
    const [{ services }] = documentsOf('compose.n8n.yml') as unknown as [Compose];
    expect(services['n8n-nodes']?.volumes).toEqual(expect.arrayContaining(services.n8n?.volumes ?? []));
    const { version } = JSON.parse(readFileSync(join(FOLDER, '../../package.json'), 'utf8')) as {
      version: string;
    };
    expect(String(services['n8n-nodes']?.command)).toContain(`n8n-nodes-messaging-gateway-${version}.tgz`);
    expect(services.n8n).toMatchObject({
      depends_on: { 'n8n-nodes': { condition: 'service_completed_successfully' } },
    });
  });

  test('let commands read the settings of the unit, as its user', () => {
    const unit = textOf('messaging-gateway.service');
    const [user, settingsFile] = ['User', 'EnvironmentFile'].map(
      (name) => new RegExp(`^${name}=(\\S+)$`, 'm').exec(unit)?.[1],
    );
    expect(unit).toContain(
      `systemd-run --pipe --wait --uid=${user} --property=EnvironmentFile=${settingsFile} messaging-gateway `,
    );
    expect(unit).not.toMatch(/^Environment=GATEWAY_/m);
  });

  test('run the image of this version', () => {
    const { version } = JSON.parse(readFileSync(join(FOLDER, '../package.json'), 'utf8')) as {
      version: string;
    };
    for (const file of ['kubernetes.yaml', 'compose.proxyless.yml'])
      expect(textOf(file)).toContain(`image: ghcr.io/messaging-gateway/messaging-gateway:${version}\n`);
  });

  test('let a gateway in a container write to nothing but its data, without rights', () => {
    const [{ services }] = documentsOf('compose.yml') as unknown as [Compose];
    expect(services.gateway).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '30s' });
    const [deployment, service, budget] = documentsOf('kubernetes.yaml') as unknown as Record<
      string,
      never
    >[];
    expect([deployment, service, budget].map((one) => one?.kind)).toEqual([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
    ]);
    expect(deployment).toMatchObject({
      spec: {
        template: {
          spec: {
            securityContext: { runAsNonRoot: true, runAsUser: 1000 },
            containers: [
              { securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } },
            ],
          },
        },
      },
    });
  });
});

describe('the workflows of the forge', () => {
  const root = join(FOLDER, '../..');
  const scripts = Object.keys(
    (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts,
  );

  test.each(['ci', 'release'])(
    '%s runs only scripts that there are, with no right that it does not need',
    (name) => {
      const file = join(root, '.github/workflows', `${name}.yml`);
      const [workflow] = documentsOf(file);
      expect(workflow).toMatchObject({ permissions: { contents: 'read' } });
      const run = [...readFileSync(file, 'utf8').matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script);
      expect(run.length).toBeGreaterThan(0);
      expect(scripts).toEqual(expect.arrayContaining(run));
    },
  );
});
