/** Most milliseconds to wait for the platform. Longer work continues in the background. */
const PATIENCE = 1500;

/** Waits for work a while. @returns whether it has ended */
export async function endsSoon(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, PATIENCE, false)));
  const isDone = await Promise.race([work.then(() => true), patience]);
  clearTimeout(timer);
  return isDone;
}
