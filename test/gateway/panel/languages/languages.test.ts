import { languageAccepted } from '../../../../gateway/wording/language';
import { DATABASES } from '../../../support/databases';
import {
  addPanelUser,
  axeFaults,
  closingWindows,
  loggedIn,
  PASSWORD,
  visitor,
} from '../../../support/panel/visitor';
import { startScene, type Scene } from '../../../support/scene';

let scene: Scene;
closingWindows();
beforeAll(async () => {
  const sqlite = await DATABASES.find(({ name }) => name === 'SQLite')?.createUrl();
  scene = await startScene(sqlite ?? '');
  await addPanelUser(scene, 'ana');
});
afterAll(() => scene.stop());

test('a language is chosen in the profile, and stays in this browser', async () => {
  const one = await loggedIn(scene, { width: 360 });
  const { page } = one;
  await one.goto('/panel/profile');
  await page.getByLabel('Language').selectOption('Português (Brasil)');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A aparência está salva').waitFor();
  expect(await page.title()).toBe('Seu perfil · Messaging Gateway');
  expect(await axeFaults(page)).toEqual([]);
  await one.goto('/panel/no-such-page');
  expect(await page.textContent('h1')).toBe('Esta página não existe');
  await one.goto('/panel/profile');
  expect(await page.getAttribute('html', 'lang')).toBe('pt-BR');
  expect(await page.getByLabel('Idioma').inputValue()).toBe('pt');
  await page.getByLabel('Idioma').selectOption('');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByLabel('Language').waitFor();
});

test('somebody who is not logged in chooses one too, and goes on to the page that was asked for', async () => {
  const { page } = await visitor(scene, { width: 360, script: false });
  await page.goto(`${scene.gateway.url}/panel/audit?who=ana`);
  await page.getByRole('button', { name: 'Español' }).click();
  expect(await page.textContent('h1')).toBe('Iniciar sesión');
  expect(await page.getAttribute('[aria-pressed=true]', 'value')).toBe('es');
  await page.getByLabel('Nombre').fill('ana');
  await page.getByLabel('Contraseña').fill(PASSWORD);
  await page.locator('.form').getByRole('button', { name: 'Iniciar sesión' }).click();
  expect(page.url()).toBe(`${scene.gateway.url}/panel/audit?who=ana`);
  expect(await page.textContent('h1')).toBe('Auditoría');
});

test('whoever has chosen none sees what his browser asks for', async () => {
  const titleFor = async (language: string) => {
    const headers = { 'accept-language': language };
    const answer = await fetch(`${scene.gateway.url}/panel/no-such-page`, { headers });
    return /<html lang="([^"]+)".*<h1>([^<]+)<\/h1>/s.exec(await answer.text())?.slice(1);
  };
  expect(await titleFor('es-MX,es;q=0.9,en;q=0.8')).toEqual(['es', 'Esta página no existe']);
  expect(await titleFor('fr')).toEqual(['en', 'There is no such page']);
});

test.each([
  ['pt-BR,pt;q=0.9,en;q=0.8', 'pt'],
  ['en;q=0.5, ES-419;q=0.7', 'es'],
  ['fr-CA, fr;q=0.9', 'en'],
  ['pt;q=0, es;q=0.1', 'es'],
  ['es;q=x, ;;,=', 'en'],
  ['', 'en'],
  [undefined, 'en'],
])('of %j it is %s', (header, language) => {
  expect(languageAccepted(header)).toBe(language);
});
