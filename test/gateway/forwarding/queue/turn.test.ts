import { Turn } from '../../../../gateway/forwarding/queue/turn';

describe('whose turn it is', () => {
  /** All that wait, each of which is taken out. @param each what is done with one */
  async function serveAll(turn: Turn<number>, each: (one: number) => void): Promise<number[]> {
    const served: number[] = [];
    const waiting = await turn.next();
    for (const one of waiting) {
      waiting.delete(one);
      served.push(one);
      each(one);
    }
    return served;
  }

  test('comes once to what is added several times, and last to what is added meanwhile', async () => {
    const turn = new Turn<number>();
    for (const one of [1, 2, 1, 3]) turn.add(one);
    let added = 0;
    expect(await serveAll(turn, (one) => one === 1 && added++ === 0 && turn.add(one))).toEqual([1, 2, 3, 1]);
  });

  test('comes to each of those for which there was no place, in order, as places are freed', async () => {
    const turn = new Turn<number>();
    const all = Array.from({ length: 40 }, (_, one) => one);
    all.forEach((one) => turn.refuse(one));
    const looked: number[] = [];
    for (let freed = 0; freed < 3; freed++) {
      turn.freed();
      looked.push(...(await serveAll(turn, (one) => turn.refuse(one))));
    }
    expect(looked.slice(0, all.length)).toEqual(all);
  });
});
