import { type Databases } from './start-databases';

export default async function stopDatabases(): Promise<void> {
  await (globalThis as Databases).stopDatabases?.();
}
