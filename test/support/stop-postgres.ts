export default async function stopPostgres(): Promise<void> {
  await (globalThis as { stopPostgres?: () => Promise<void> }).stopPostgres?.();
}
