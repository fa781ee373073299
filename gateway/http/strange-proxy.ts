interface Request {
  headers: Record<string, unknown>;
  /** The addresses up to the first untrusted one: only the sender's, if the sender is untrusted. */
  ips?: string[];
}

/**
 * Warns once about a request whose header with the client's address is ignored, because the sender is not trusted.
 */
export function strangeProxyWarning(log: { warn(message: string): void }): (request: Request) => void {
  let isTold = false;
  return ({ headers, ips = [] }) => {
    if (isTold || headers['x-forwarded-for'] === undefined || ips.length > 1) return;
    isTold = true;
    log.warn(
      'a proxy that is not trusted names callers in X-Forwarded-For: in limits all of them count as one; to change that, set GATEWAY_TRUSTED_PROXIES to its address',
    );
  };
}
