import { openScene, type Scene } from './scene';

const MINUTE = 60_000;

/** The one scene of all parts: starting n8n costs more than most of what is tried in it. */
export let scene: Scene;

beforeAll(async () => {
  scene = await openScene('real-n8n');
}, 20 * MINUTE); // the first run installs n8n

afterAll(() => scene?.close(), MINUTE);
