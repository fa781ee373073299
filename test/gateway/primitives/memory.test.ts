import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const MEMORY = join(__dirname, '../../../gateway/build/primitives/memory.js');

/** Runs a program that has `memory`, `megabytes(space)` and `work(rounds)`. @returns the lines that it prints */
async function told(program: string): Promise<string[]> {
  const child = spawn(process.execPath, [
    '-e',
    `const memory = require(${JSON.stringify(MEMORY)});
     const megabytes = (space) => require('node:v8').getHeapSpaceStatistics()
       .filter(({ space_name }) => space_name.endsWith(space))
       .reduce((sum, { space_size }) => sum + space_size / 1024 / 1024, 0);
     async function work(rounds) {
       let kept = [];
       for (let round = 0; round < rounds; round++) {
         for (let index = 0; index < 20_000; index++) kept.push({ index, text: 'x' + index });
         if (kept.length > 200_000) kept = kept.slice(150_000);
         await new Promise((resolve) => setTimeout(resolve, 1));
       }
     }
     ${program}`,
  ]);
  return (await text(child.stdout)).trim().split('\n');
}

/** How often the thread looks whether it is idle (ms), and how often it does so after each work. */
const [LOOKS_EVERY, LOOKS] = [300, 20];

test('a thread returns its memory after each work, not at each look', async () => {
  const lines = await told(`
    let returned = 0;
    memory.returnMemoryAtRest(() => console.log('returned', megabytes('space'), ++returned), ${LOOKS_EVERY});
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    void (async () => {
      for (const name of ['first', 'second']) {
        await work(200);
        console.log(name, megabytes('space'));
        const before = returned;
        while (returned === before) await pause(50);
        await pause(${LOOKS * LOOKS_EVERY});
      }
    })();`);
  const seen = lines.map((line) => line.split(' ') as [string, string]);
  const after = (name: string) => seen.slice(seen.findIndex(([one]) => one === name));
  for (const [[, worked], [, returned]] of [after('first'), after('second')] as [
    [string, string],
    [string, string],
  ][])
    expect(Number(returned)).toBeLessThan(Number(worked) / 2);
  // A few looks may find a busy machine's thread at work again.
  expect(after('second').length - 1).toBeLessThan(LOOKS / 2);
}, 60_000);

test('the space for new objects stays small', async () => {
  const program = `void work(1_000).then(() => console.log(megabytes('new_space')))`;
  expect(Number(await told(program))).toBeGreaterThan(64);
  expect(Number(await told(`memory.boundHeap(); ${program}`))).toBeLessThan(64);
}, 60_000);
