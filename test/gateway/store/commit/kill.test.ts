import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { openStore } from '../../../../gateway/store/store';
import { DATABASES } from '../../../support/databases';
import { addDestination, addLine, openStores } from '../support';

/** Writes until it is killed with SIGKILL, after so many acknowledgements or a few more. @returns what was acknowledged */
function writeUntilKilled(url: string, run: string, atLeast: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(__dirname, 'write-until-killed.js'), url, run], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.split('\n').length > atLeast) child.kill('SIGKILL');
    });
    child.on('error', reject);
    // The last line may be cut: what was not printed whole was not acknowledged to anybody.
    child.on('close', () => resolve(printed.split('\n').slice(0, -1)));
  });
}

describe.each(DATABASES)('a process that is killed while it writes ($name)', ({ createUrl }) => {
  const open = openStores();

  test('has lost nothing that it acknowledged, and leaves it to be sent', async () => {
    const url = await createUrl();
    const before = await openStore(url);
    expect(await addDestination(before, await addLine(before))).toBe(1);
    await before.close();
    const acknowledged: string[] = [];
    for (let kill = 0; kill < 5; kill++)
      acknowledged.push(...(await writeUntilKilled(url, `run${kill}`, 20 + Math.random() * 300)));
    expect(acknowledged.length).toBeGreaterThanOrEqual(100);
    const store = await open(url);
    const stored = await store.deliveries.ofDestination(1);
    const ids = new Set(stored.map(({ event_id: id }) => id));
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    // Each notification held two events: both are there, or neither.
    expect(
      [...ids].filter((id) => !ids.has(id.endsWith('-a') ? id.replace(/a$/, 'b') : id.replace(/b$/, 'a'))),
    ).toEqual([]);
    const read: string[] = [];
    for (let from = 0, isLast = false; !isLast;) {
      const page = await store.queued.untried(1, from, 1000);
      read.push(...page.rows.map((row) => row.event_id));
      [from, isLast] = [(page.rows.at(-1)?.sequence ?? 0) + 1, page.isLast];
    }
    expect(new Set(read).size).toBe(read.length);
    expect(read).toHaveLength(ids.size);
  });
});
