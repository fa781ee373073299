import { InFlight, type Release, type Sender } from '../../../../gateway/forwarding/queue/in-flight';

const sender = (more: Partial<Sender> = {}): Sender => ({
  lineId: 1,
  host: 'example.com',
  inFlight: 0,
  isQuick: true,
  size: 1000,
  ...more,
});

/** Destinations, each of which takes as much as it may, in turn with the others, while nothing is answered. */
function hanging(inFlight: InFlight, destinations: Partial<Sender>[], limit = 8): Release[] {
  const permits: Release[] = [];
  for (let round = 0; round < limit; round++)
    for (const one of destinations) {
      const permit = inFlight.take(sender({ isQuick: false, inFlight: round, ...one }));
      if (permit) permits.push(permit);
    }
  return permits;
}

const destinations = (count: number, more: (index: number) => Partial<Sender> = () => ({})) =>
  Array.from({ length: count }, (_, index) => ({ host: `${index}.example.com`, ...more(index) }));

describe('what is in flight in all', () => {
  test('is at most half of all for one line, where no other line sends', () => {
    expect(hanging(new InFlight(), destinations(1000))).toHaveLength(512);
  });

  test('is shared out so that a line never takes more than half of what the others leave', () => {
    const inFlight = new InFlight();
    const taken = [1, 2, 3, 4].map(
      (lineId) =>
        hanging(
          inFlight,
          destinations(1000, () => ({ lineId })),
        ).length,
    );
    expect(taken).toEqual([512, 256, 128, 64]);
  });

  test('is one attempt for each destination in the second half of a line’s share', () => {
    const inFlight = new InFlight();
    const few = hanging(inFlight, destinations(32), 32);
    expect(few).toHaveLength(256);
    const others = destinations(1000).slice(500);
    expect(hanging(inFlight, others)).toHaveLength(256);
  });

  test('goes on to 50 destinations of a line while 300 hang, and to other lines', () => {
    const inFlight = new InFlight();
    hanging(inFlight, destinations(300));
    const quick = destinations(350).slice(300);
    const permits = quick.map((one) => inFlight.take(sender(one)));
    expect(permits.every((permit) => permit !== null)).toBe(true);
    expect(inFlight.take(sender({ lineId: 2, isQuick: null }))).not.toBeNull();
    // And so after each answer.
    for (let round = 0; round < 100; round++) {
      permits.forEach((permit) => permit?.());
      quick.forEach((one, index) => (permits[index] = inFlight.take(sender(one))));
      expect(permits.every((permit) => permit !== null)).toBe(true);
    }
  });

  test('goes by a reserve, one at a time, to a destination that answered quickly, where its line has used its share up', () => {
    const inFlight = new InFlight();
    hanging(inFlight, destinations(1000));
    expect(inFlight.take(sender({ isQuick: false }))).toBeNull();
    const permit = inFlight.take(sender());
    expect(permit).not.toBeNull();
    expect(inFlight.take(sender({ inFlight: 1 }))).toBeNull();
    permit?.();
    expect(inFlight.take(sender())).not.toBeNull();
    expect(inFlight.take(sender({ host: 'other', size: 1_000_000 }))).toBeNull();
  });

  test('tries four destinations of a line at a time that were never asked, where its share is used up', () => {
    const inFlight = new InFlight();
    hanging(inFlight, destinations(1000));
    const unknown = (lineId: number) =>
      Array.from({ length: 9 }, () => inFlight.take(sender({ lineId, isQuick: null })));
    const permits = unknown(1);
    expect(permits.filter((permit) => permit)).toHaveLength(4);
    permits[0]?.();
    expect(unknown(1).filter((permit) => permit)).toHaveLength(1);
    expect(inFlight.take(sender())).not.toBeNull();
  });

  test('leaves in the reserve half to other lines', () => {
    const inFlight = new InFlight();
    for (let lineId = 1; lineId <= 9; lineId++)
      hanging(
        inFlight,
        destinations(1000, () => ({ lineId })),
      );
    const quick = (lineId: number) =>
      Array.from({ length: 500 }, () => inFlight.take(sender({ lineId }))).filter((permit) => permit).length;
    expect(quick(1)).toBe(128);
    expect(quick(2)).toBeGreaterThanOrEqual(64);
  });

  test('goes to the destinations of one host beyond the first eight of each only 24 times', () => {
    const inFlight = new InFlight();
    const beyond = (index: number, host: string) =>
      Array.from({ length: 24 }, (_, number) =>
        inFlight.take(sender({ host, inFlight: 8 + number, lineId: index })),
      ).filter((permit) => permit);
    const [first, second] = [beyond(1, 'n8n.example.com'), beyond(2, 'n8n.example.com')];
    expect([first.length, second.length]).toEqual([24, 0]);
    expect(beyond(3, 'other.example.com')).toHaveLength(24);
    expect(inFlight.take(sender({ host: 'n8n.example.com', inFlight: 7, lineId: 2 }))).not.toBeNull();
    first[0]?.();
    expect(beyond(2, 'n8n.example.com')).toHaveLength(1);
  });

  test('holds no more than 64 million characters, and lets a line begin with one event, however large', () => {
    const inFlight = new InFlight();
    const large = { size: 3_000_000, isQuick: false };
    const most = (lineId: number) =>
      Array.from({ length: 100 }, () => inFlight.take(sender({ lineId, ...large }))).filter(
        (permit) => permit,
      );
    const ofOne = most(1);
    expect(ofOne.length).toBe(11);
    expect(most(2).length).toBeGreaterThanOrEqual(1);
    for (let lineId = 3; lineId < 10; lineId++) expect(most(lineId).length).toBeGreaterThanOrEqual(1);
    ofOne.forEach((permit) => permit?.());
    expect(most(1).length).toBeGreaterThan(1);
  });

  test('is nothing again once all is answered', () => {
    const inFlight = new InFlight();
    for (let round = 0; round < 5; round++) {
      const permits = [
        ...hanging(inFlight, destinations(1000)),
        ...Array.from({ length: 300 }, () => inFlight.take(sender())).flatMap((permit) => permit ?? []),
      ];
      expect(permits).toHaveLength(512 + 128);
      permits.forEach((permit) => permit());
    }
  });
});
