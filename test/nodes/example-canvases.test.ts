import { exampleNames, exampleWorkflow, FIRST_EXAMPLE } from '../n8n/example-workflows';

interface Box {
  name: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** As n8n draws them, in pixels: a node, one with parts beneath it, and such a part. */
const NODE = [96, 96] as const;
const WITH_PARTS = [256, 96] as const;
const PART = [80, 80] as const;
/** Under a node stands its name, in a box twice as wide as the node, and what it does. */
const NAME = { width: 192, perLine: 24, line: 20, above: 4, doing: 18 };

const OF_AGENTS = /\.agent$/;

function boxesOf(name: string): Box[] {
  const { nodes, connections } = exampleWorkflow(name, { id: '1', name: 'Line' });
  const isPart = (node: string) =>
    Object.keys((connections as Record<string, object>)[node] ?? {}).some((kind) => kind.startsWith('ai_'));
  return nodes.flatMap(({ name: label, type, position: [left = 0, top = 0], parameters }) => {
    if (type === 'n8n-nodes-base.stickyNote') {
      const { width, height } = parameters as { width: number; height: number };
      return [{ name: label, left, top, right: left + width, bottom: top + height }];
    }
    const one = isPart(label) ? PART : NODE;
    const [width, height] = OF_AGENTS.test(type) ? WITH_PARTS : one;
    const box = { name: label, left, top, right: left + width, bottom: top + height };
    // The name of a wide node stands within it.
    if (width === WITH_PARTS[0]) return [box];
    const lines = Math.ceil(label.length / NAME.perLine);
    const half = Math.min(NAME.width, label.length * 8) / 2;
    const middle = left + width / 2;
    const named = box.bottom + NAME.above + lines * NAME.line + NAME.doing;
    return [
      {
        ...box,
        left: Math.min(left, middle - half),
        right: Math.max(box.right, middle + half),
        bottom: named,
      },
    ];
  });
}

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

test.each(exampleNames())('nothing lies on anything else on the canvas of the example %s', (name) => {
  const boxes = boxesOf(name);
  const pairs = boxes.flatMap((one, index) =>
    boxes.slice(index + 1).flatMap((other) => (overlap(one, other) ? [`${one.name} / ${other.name}`] : [])),
  );
  expect(pairs).toEqual([]);
});

test('of all examples, the one to start with is listed first', () => {
  const names = exampleNames().map((name) => exampleWorkflow(name, { id: '1', name: 'Line' }).name);
  expect(names.toSorted()[0]).toBe(FIRST_EXAMPLE);
});
