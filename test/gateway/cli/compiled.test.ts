import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/databases';
import { MAIN } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { freshSettings, start } from './support';

const folder = temporaryFolder();
const compiled = join(folder, 'dist', 'compiled');
const kept = () =>
  existsSync(compiled) ? readdirSync(compiled).filter((name) => !name.endsWith('.new')) : [];
const bytes = () => readFileSync(join(compiled, kept()[0] ?? ''));

/** Tells of each script whether V8 took its compiled form: `true`, `false`, or `none` if it was given none. */
const SPY = `
  const vm = require('node:vm');
  vm.Script = class extends vm.Script {
    constructor(source, options) {
      super(source, options);
      const { cachedDataRejected: isRejected } = this;
      process.stderr.write(\`taken: \${isRejected === undefined ? 'none' : !isRejected}\\n\`);
    }
  };`;

beforeAll(() => {
  cpSync(dirname(MAIN), join(folder, 'dist'), {
    recursive: true,
    filter: (file) => !file.includes('dist/compiled'),
  });
  writeFileSync(join(folder, 'spy.cjs'), SPY);
});

async function startCopy() {
  const main = join(folder, 'dist', 'main.js');
  const gateway = await start(freshSettings(), { main, nodeOptions: ['--require', join(folder, 'spy.cjs')] });
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  return { gateway, taken: /taken: (\w+)/.exec(gateway.stderr())?.[1] };
}

test('the first start compiles for all later ones, and once more if its file is damaged', async () => {
  const first = await startCopy();
  expect(first.taken).toBe('none');
  await until(
    () => kept().length > 0,
    20_000,
    () => 'nothing was kept',
  );
  const whole = bytes();
  await first.gateway.end();
  expect((await startCopy()).taken).toBe('true');

  const damaged = Buffer.from(whole);
  damaged[damaged.length >> 1] = ~(damaged[damaged.length >> 1] ?? 0);
  writeFileSync(join(compiled, kept()[0] ?? ''), damaged);
  expect((await startCopy()).taken).toBe('none');
  await until(
    () => !bytes().equals(damaged),
    20_000,
    () => 'the damaged file was not replaced',
  );
  expect((await startCopy()).taken).toBe('true');
  expect(kept()).toHaveLength(1);
});
