import { DATABASES } from '../../support/databases';
import { checkedPages } from '../../support/panel/checked-pages';
import { addPanelUser } from '../../support/panel/visitor';
import { startScene, type Scene } from '../../support/scene';

const [sqlite] = DATABASES;
let scene: Scene;

beforeAll(async () => {
  scene = await startScene((await sqlite?.createUrl()) ?? '');
  await addPanelUser(scene, 'ana');
  await scene.line({ name: 'My shop' });
});
afterAll(() => scene.stop());

describe('the audit', () => {
  checkedPages(() => scene, ['/panel/audit', '/panel/audit?who=nobody']);
});
