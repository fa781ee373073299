import { type Page } from 'playwright-core';
import { OWNER, type Scene } from './scene';

/** A busy machine takes its time. */
const PATIENCE_MS = 90_000;

/** The session's cookie is tied to the browser, so signing in happens in it. */
export async function signIn(page: Page, { n8n }: Scene): Promise<void> {
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(`${n8n.url}/signin`, { waitUntil: 'domcontentloaded' });
  await page.fill('input[type="email"], input[name="emailOrLdapLoginId"]', OWNER.email);
  await page.fill('input[type="password"]', OWNER.password);
  await page.click('[data-test-id="form-submit-button"], button[type="submit"]');
  await page.waitForURL((url) => !url.pathname.startsWith('/signin'), { waitUntil: 'domcontentloaded' });
}
