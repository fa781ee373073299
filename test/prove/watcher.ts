import { execFile } from 'node:child_process';
import { MAIN } from '../support/gateway-process';

const PASSWORD = 'correct horse battery staple';

/** Adds a user who watches the panel. */
export async function addWatcher(env: Record<string, string>): Promise<void> {
  const words = ['user', 'add', 'watcher', '--role', 'viewer', '--password-file', '-'];
  await new Promise<void>((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...words],
      { env: { PATH: process.env.PATH, ...env } },
      (error) => (error ? reject(error) : resolve()),
    );
    child.stdin?.end(`${PASSWORD}\n`);
  });
}

/** Logs in as that user. @returns the `Cookie` header of the session */
export async function logIn(url: string): Promise<string> {
  const cookieOf = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  const page = await fetch(`${url}/panel/log-in`);
  const form_token = /name="form_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const answer = await fetch(`${url}/panel/log-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(page), origin: url },
    body: new URLSearchParams({ name: 'watcher', password: PASSWORD, form_token }),
  });
  if (answer.status !== 303) throw new Error(`The log-in was answered ${answer.status}`);
  return cookieOf(answer);
}
