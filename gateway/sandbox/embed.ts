import { startSandbox, type Sandbox } from './server';

type Options = Omit<Parameters<typeof startSandbox>[0], 'host' | 'port'>;

/** Starts a sandbox inside a gateway on loopback: one port above the gateway's, or any free port. */
export async function embedSandbox(gatewayPort: number, options: Options): Promise<Sandbox> {
  const open = (port: number) => startSandbox({ ...options, host: '127.0.0.1', port });
  const port = [0, 65535].includes(gatewayPort) ? 0 : gatewayPort + 1;
  return open(port).catch((error: { code?: string }) => {
    if (error.code === 'EADDRINUSE') return open(0);
    throw error;
  });
}
